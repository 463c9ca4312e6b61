// Nodes of graphs that allocate and free, by the runtime's functions.
#include "device.h"
#include "front.h"
#include "graphs.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::GraphMemoryNode;
using emulator::NodeKind;

namespace {

Status find_memory(cudaGraphNode_t handle, NodeKind kind,
                   GraphMemoryNode* memory) {
  GraphNode* node = nullptr;
  const Status status = find_node(handle, kind, &node);
  if (status != Status::kSuccess) return status;
  const auto* const kept = std::any_cast<GraphMemoryNode>(&node->parameters);
  if (kept == nullptr) return Status::kInvalidValue;
  *memory = *kept;
  return Status::kSuccess;
}

}  // namespace

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count,
                                     cudaMemAllocNodeParams* params) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    // cudaMemAllocNodeParams (driver_types.h): no sharing between processes.
    if (params == nullptr ||
        params->poolProps.handleTypes != cudaMemHandleTypeNone ||
        params->poolProps.allocType != cudaMemAllocationTypePinned ||
        params->poolProps.location.type != cudaMemLocationTypeDevice) {
      return Status::kInvalidValue;
    }
    const int device = params->poolProps.location.id;
    if (!is_device(device)) return Status::kInvalidDevice;
    return add_allocation({graph, after, count}, params->bytesize, device, site,
                          &params->dptr, node);
  });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* params) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (params == nullptr) return Status::kInvalidValue;
    GraphMemoryNode memory;
    const Status status = find_memory(node, NodeKind::kAllocate, &memory);
    if (status != Status::kSuccess) return status;
    *params = {};
    params->poolProps.allocType = cudaMemAllocationTypePinned;
    params->poolProps.location = {cudaMemLocationTypeDevice, memory.device};
    params->bytesize = memory.size;
    params->dptr = memory.address;
    return Status::kSuccess;
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, size_t count,
                                    void* address) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return add_free({graph, after, count}, address, node);
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* address) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (address == nullptr) return Status::kInvalidValue;
    GraphMemoryNode memory;
    const Status status = find_memory(node, NodeKind::kFree, &memory);
    if (status == Status::kSuccess) {
      *static_cast<void**>(address) = memory.address;
    }
    return status;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                           cudaGraphMemAttributeType attribute,
                                           void* value) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    // High marks can be set to 0 only (driver_types.h).
    if (value == nullptr || *static_cast<cuuint64_t*>(value) != 0) {
      return Status::kInvalidValue;
    }
    if (!is_device(device)) return Status::kInvalidDevice;
    if (attribute != cudaGraphMemAttrUsedMemHigh &&
        attribute != cudaGraphMemAttrReservedMemHigh) {
      return Status::kInvalidValue;
    }
    emulator::reset_graph_figures(device,
                                  attribute == cudaGraphMemAttrReservedMemHigh);
    return Status::kSuccess;
  });
}
