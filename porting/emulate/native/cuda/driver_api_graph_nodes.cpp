// Nodes of graphs by the driver's functions: added, read, changed.
#include "device.h"
#include "front.h"
#include "graphs.h"

namespace eclosion::cuda {
namespace {

using emulator::NodeKind;
using emulator::Work;

Status read(const CUDA_KERNEL_NODE_PARAMS* params, Work* work) {
  if (params == nullptr) return Status::kInvalidValue;
  KernelNode node;
  node.function = params->func != nullptr
                      ? static_cast<const void*>(params->func)
                      : params->kern;
  node.device = emulator::current_device();
  node.grid = {params->gridDimX, params->gridDimY, params->gridDimZ};
  node.block = {params->blockDimX, params->blockDimY, params->blockDimZ};
  node.dynamic_shared = params->sharedMemBytes;
  Arguments arguments{.values = params->kernelParams};
  if (params->kernelParams == nullptr && params->extra != nullptr) {
    const Status status = read_extra(params->extra, &arguments);
    if (status != Status::kSuccess) return status;
  }
  return plan_launch(std::move(node), arguments, nullptr, work);
}

Status read(const CUDA_MEMCPY3D* params, Work* work) {
  if (params == nullptr) return Status::kInvalidValue;
  Copy copy;
  copy.is_async = true;
  const Status status = read_copy(*params, &copy);
  return status != Status::kSuccess ? status : plan_node(copy, work);
}

Status read(const CUDA_MEMSET_NODE_PARAMS* params, Work* work) {
  if (params == nullptr) return Status::kInvalidValue;
  const unsigned element = params->elementSize;
  if (element != 1 && element != 2 && element != 4) {
    return Status::kInvalidValue;
  }
  return plan_node(Fill{{reinterpret_cast<void*>(params->dst), params->pitch},
                        {params->width * element, params->height},
                        params->value,
                        element,
                        true,
                        nullptr},
                   work);
}

Status read(const CUDA_HOST_NODE_PARAMS* params, Work* work) {
  if (params == nullptr) return Status::kInvalidValue;
  return plan_node(HostNode{params->fn, params->userData}, work);
}

CUDA_KERNEL_NODE_PARAMS write(const KernelNode& node) {
  CUDA_KERNEL_NODE_PARAMS params{};
  // A node of the runtime's has the address of a stub, or a CUkernel.
  params.func = add_function({node.function, {}, node.device});
  if (const auto code = find_code(node.function)) {
    params.func = add_function({code->host, code->name, node.device});
  }
  params.gridDimX = node.grid.x;
  params.gridDimY = node.grid.y;
  params.gridDimZ = node.grid.z;
  params.blockDimX = node.block.x;
  params.blockDimY = node.block.y;
  params.blockDimZ = node.block.z;
  params.sharedMemBytes = static_cast<unsigned>(node.dynamic_shared);
  params.kernelParams = node.parameters->pointers();
  return params;
}

CUDA_MEMSET_NODE_PARAMS write(const FillNode& node) {
  const Fill& fill = node.fill;
  return {reinterpret_cast<CUdeviceptr>(fill.to.base),
          fill.to.pitch,
          fill.value,
          fill.element,
          fill.box.width / fill.element,
          fill.box.height};
}

CUDA_HOST_NODE_PARAMS write(const HostNode& node) {
  return {node.function, node.data};
}

template <typename Params>
CUresult add(const char* function, const NodePlace& place, const Params* params,
             CUgraphNode* node) {
  return driver_call(function, kContext, [&]() -> DriverResult {
    Work work;
    const Status status = read(params, &work);
    return status != Status::kSuccess ? status
                                      : add_node(place, std::move(work), node);
  });
}

// Node: what the node keeps, KernelNode and the like.
template <typename Node, typename Params>
CUresult get(const char* function, CUgraphNode handle, NodeKind kind,
             Params* params) {
  return driver_call(function, kDriver, [&]() -> DriverResult {
    if (params == nullptr) return Status::kInvalidValue;
    GraphNode* node = nullptr;
    const Status status = find_node(handle, kind, &node);
    if (status != Status::kSuccess) return status;
    const Node* const kept = std::any_cast<Node>(&node->parameters);
    if (kept == nullptr) return Status::kInvalidValue;
    *params = write(*kept);
    return Status::kSuccess;
  });
}

template <typename Params>
CUresult set(const char* function, CUgraphNode handle, const Params* params) {
  return driver_call(function, kContext, [&]() -> DriverResult {
    GraphNode* node = nullptr;
    Work work;
    Status status = find_node(handle, &node);
    if (status == Status::kSuccess) status = read(params, &work);
    return status != Status::kSuccess ? status : replace(node, std::move(work));
  });
}

template <typename Params>
CUresult set_in(const char* function, CUgraphExec exec, CUgraphNode node,
                const Params* params) {
  return driver_call(function, kContext, [&]() -> DriverResult {
    Work work;
    const Status status = read(params, &work);
    return status != Status::kSuccess ? status
                                      : replace_in(exec, node, std::move(work));
  });
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph,
                              const CUgraphNode* after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS* params) {
  return add(__func__, {graph, after, count}, params, node);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph,
                              const CUgraphNode* after, size_t count,
                              const CUDA_MEMCPY3D* params,
                              CUcontext /*context*/) {
  return add(__func__, {graph, after, count}, params, node);
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph,
                              const CUgraphNode* after, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* params,
                              CUcontext /*context*/) {
  return add(__func__, {graph, after, count}, params, node);
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph,
                            const CUgraphNode* after, size_t count,
                            const CUDA_HOST_NODE_PARAMS* params) {
  return add(__func__, {graph, after, count}, params, node);
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph,
                             const CUgraphNode* after, size_t count) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return add_node({graph, after, count}, GraphNode{}, node);
  });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph,
                                  const CUgraphNode* after, size_t count,
                                  CUgraph child) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return add_child({graph, after, count}, child, node);
  });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph,
                                   const CUgraphNode* after, size_t count,
                                   CUevent event) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return add_event_node({graph, after, count},
                          emulator::NodeKind::kEventRecord, event, node);
  });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph,
                                 const CUgraphNode* after, size_t count,
                                 CUevent event) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return add_event_node({graph, after, count}, emulator::NodeKind::kEventWait,
                          event, node);
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph,
                               const CUgraphNode* after, size_t count,
                               CUdeviceptr address) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return add_free({graph, after, count}, reinterpret_cast<void*>(address),
                    node);
  });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph,
                                const CUgraphNode* after, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (params == nullptr || params->poolProps.handleTypes != 0 ||
        params->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
      return Status::kInvalidValue;
    }
    const int device = params->poolProps.location.id;
    if (!is_device(device)) return Status::kInvalidDevice;
    return add_allocation({graph, after, count}, params->bytesize, device, site,
                          reinterpret_cast<void**>(&params->dptr), node);
  });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node,
                                    CUDA_KERNEL_NODE_PARAMS* params) {
  return get<KernelNode>(__func__, node, emulator::NodeKind::kKernel, params);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                    CUDA_MEMSET_NODE_PARAMS* params) {
  return get<FillNode>(__func__, node, emulator::NodeKind::kFill, params);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node,
                                  CUDA_HOST_NODE_PARAMS* params) {
  return get<HostNode>(__func__, node, emulator::NodeKind::kHost, params);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS* params) {
  return set(__func__, node, params);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMCPY3D* params) {
  return set(__func__, node, params);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMSET_NODE_PARAMS* params) {
  return set(__func__, node, params);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                  const CUDA_HOST_NODE_PARAMS* params) {
  return set(__func__, node, params);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS* params) {
  return set_in(__func__, exec, node, params);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* params,
                                        CUcontext /*context*/) {
  return set_in(__func__, exec, node, params);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* params,
                                        CUcontext /*context*/) {
  return set_in(__func__, exec, node, params);
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* params) {
  return set_in(__func__, exec, node, params);
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  static constexpr CUgraphNodeType kTypes[] = {
      CU_GRAPH_NODE_TYPE_KERNEL,       CU_GRAPH_NODE_TYPE_MEMCPY,
      CU_GRAPH_NODE_TYPE_MEMSET,       CU_GRAPH_NODE_TYPE_HOST,
      CU_GRAPH_NODE_TYPE_GRAPH,        CU_GRAPH_NODE_TYPE_EMPTY,
      CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
      CU_GRAPH_NODE_TYPE_MEM_ALLOC,    CU_GRAPH_NODE_TYPE_MEM_FREE,
  };
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    GraphNode* node = nullptr;
    if (type == nullptr) return Status::kInvalidValue;
    const Status status = find_node(handle, &node);
    if (status == Status::kSuccess) {
      *type = kTypes[static_cast<int>(node->kind)];
    }
    return status;
  });
}
