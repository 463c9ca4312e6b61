// Nodes of graphs by the functions that take a node of any kind.
#include "front.h"
#include "graph_parameters.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::NodeKind;
using emulator::Work;

namespace {

// The structs of the second version have the same members (driver_types.h).
static_assert(sizeof(cudaKernelNodeParams) == sizeof(cudaKernelNodeParamsV2));
static_assert(sizeof(cudaMemsetParams) == sizeof(cudaMemsetParamsV2));
static_assert(sizeof(cudaHostNodeParams) == sizeof(cudaHostNodeParamsV2));
static_assert(sizeof(cudaMemAllocNodeParams) ==
              sizeof(cudaMemAllocNodeParamsV2));

// The work of a node; kNotSupported: of kinds that have none, or are not
// emulated.
Status read_any(const cudaGraphNodeParams* params, Work* work) {
  switch (params->type) {
    case cudaGraphNodeTypeKernel:
      return read(
          reinterpret_cast<const cudaKernelNodeParams*>(&params->kernel), work);
    case cudaGraphNodeTypeMemcpy:
      return read(&params->memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset:
      return read(reinterpret_cast<const cudaMemsetParams*>(&params->memset),
                  work);
    case cudaGraphNodeTypeHost:
      return read(reinterpret_cast<const cudaHostNodeParams*>(&params->host),
                  work);
    default:
      return Status::kNotSupported;
  }
}

RuntimeResult add_any(const NodePlace& place, cudaGraphNodeParams* params,
                      const void* site, cudaGraphNode_t* node) {
  switch (params->type) {
    case cudaGraphNodeTypeEmpty:
      return add_node(place, GraphNode{}, node);
    case cudaGraphNodeTypeGraph:
      return add_child(place, params->graph.graph, node);
    case cudaGraphNodeTypeEventRecord:
      return add_event_node(place, NodeKind::kEventRecord,
                            params->eventRecord.event, node);
    case cudaGraphNodeTypeWaitEvent:
      return add_event_node(place, NodeKind::kEventWait,
                            params->eventWait.event, node);
    case cudaGraphNodeTypeMemAlloc: {
      const int device = params->alloc.poolProps.location.id;
      if (!is_device(device)) return Status::kInvalidDevice;
      return add_allocation(place, params->alloc.bytesize, device, site,
                            &params->alloc.dptr, node);
    }
    case cudaGraphNodeTypeMemFree:
      return add_free(place, params->free.dptr, node);
    default: {
      Work work;
      const Status status = read_any(params, &work);
      return status != Status::kSuccess
                 ? status
                 : add_node(place, std::move(work), node);
    }
  }
}

}  // namespace

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* /*edges*/, size_t count,
                             cudaGraphNodeParams* params) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (params == nullptr) return Status::kInvalidValue;
    return add_any({graph, after, count}, params, site, node);
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t handle,
                                   cudaGraphNodeParams* params) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (params == nullptr) return Status::kInvalidValue;
    GraphNode* node = nullptr;
    Work work;
    Status status = find_node(handle, &node);
    if (status == Status::kSuccess) status = read_any(params, &work);
    return status != Status::kSuccess ? status : replace(node, std::move(work));
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec,
                                       cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (params == nullptr) return Status::kInvalidValue;
    Work work;
    const Status status = read_any(params, &work);
    return status != Status::kSuccess ? status
                                      : replace_in(exec, node, std::move(work));
  });
}
