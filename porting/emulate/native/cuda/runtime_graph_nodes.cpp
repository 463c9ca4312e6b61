// Nodes of graphs by the runtime's functions: added, read, changed.
#include "front.h"
#include "graph_parameters.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::NodeKind;
using emulator::Work;

namespace {

template <typename Params>
cudaError_t add(const char* function, const NodePlace& place,
                const Params* params, cudaGraphNode_t* node) {
  return runtime_call(function, kContext, [&]() -> RuntimeResult {
    Work work;
    const Status status = read(params, &work);
    return status != Status::kSuccess ? status
                                      : add_node(place, std::move(work), node);
  });
}

// Node: what the node keeps, KernelNode and the like.
template <typename Node, typename Params>
cudaError_t get(const char* function, cudaGraphNode_t handle, NodeKind kind,
                Params* params) {
  return runtime_call(function, kDriver, [&]() -> RuntimeResult {
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
cudaError_t set(const char* function, cudaGraphNode_t handle,
                const Params* params) {
  return runtime_call(function, kContext, [&]() -> RuntimeResult {
    GraphNode* node = nullptr;
    Work work;
    Status status = find_node(handle, &node);
    if (status == Status::kSuccess) status = read(params, &work);
    return status != Status::kSuccess ? status : replace(node, std::move(work));
  });
}

template <typename Params>
cudaError_t set_in(const char* function, cudaGraphExec_t exec,
                   cudaGraphNode_t node, const Params* params) {
  return runtime_call(function, kContext, [&]() -> RuntimeResult {
    Work work;
    const Status status = read(params, &work);
    return status != Status::kSuccess ? status
                                      : replace_in(exec, node, std::move(work));
  });
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* params) {
  return add(__func__, {graph, after, count}, params, node);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* params) {
  return add(__func__, {graph, after, count}, params, node);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* params) {
  return add(__func__, {graph, after, count}, params, node);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* params) {
  return add(__func__, {graph, after, count}, params, node);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count,
                                     void* to, const void* from, size_t size,
                                     cudaMemcpyKind kind) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    Work work;
    const Status status = plan_node(linear_copy(to, from, size, kind), &work);
    return status != Status::kSuccess
               ? status
               : add_node({graph, after, count}, std::move(work), node);
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t count) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return add_node({graph, after, count}, GraphNode{}, node);
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after,
                                       size_t count, cudaGraph_t child) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return add_child({graph, after, count}, child, node);
  });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle,
                                            cudaGraph_t* graph) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (graph == nullptr) return Status::kInvalidValue;
    GraphNode* node = nullptr;
    const Status status = find_node(handle, NodeKind::kChild, &node);
    if (status == Status::kSuccess) *graph = graph_handle(node->child);
    return status;
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node,
                                        cudaGraph_t graph,
                                        const cudaGraphNode_t* after,
                                        size_t count, cudaEvent_t event) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return add_event_node({graph, after, count}, NodeKind::kEventRecord, event,
                          node);
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after,
                                      size_t count, cudaEvent_t event) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return add_event_node({graph, after, count}, NodeKind::kEventWait, event,
                          node);
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         cudaKernelNodeParams* params) {
  return get<KernelNode>(__func__, node, NodeKind::kKernel, params);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         cudaMemcpy3DParms* params) {
  return get<CopyNode>(__func__, node, NodeKind::kCopy, params);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         cudaMemsetParams* params) {
  return get<FillNode>(__func__, node, NodeKind::kFill, params);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       cudaHostNodeParams* params) {
  return get<HostNode>(__func__, node, NodeKind::kHost, params);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* params) {
  return set(__func__, node, params);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* params) {
  return set(__func__, node, params);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemsetParams* params) {
  return set(__func__, node, params);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const cudaHostNodeParams* params) {
  return set(__func__, node, params);
}

cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node,
    const cudaKernelNodeParams* params) {
  return set_in(__func__, exec, node, params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* params) {
  return set_in(__func__, exec, node, params);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return set_in(__func__, exec, node, params);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec,
                                           cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  return set_in(__func__, exec, node, params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec,
                                               cudaGraphNode_t node, void* to,
                                               const void* from, size_t size,
                                               cudaMemcpyKind kind) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    Work work;
    const Status status = plan_node(linear_copy(to, from, size, kind), &work);
    return status != Status::kSuccess ? status
                                      : replace_in(exec, node, std::move(work));
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle,
                                    cudaGraphNode_t node, unsigned is_enabled) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    const auto exec = find_exec(handle);
    GraphNode* original = nullptr;
    if (!exec) return Status::kInvalidValue;
    const Status status = find_node(node, &original);
    if (status != Status::kSuccess) return status;
    GraphNode* const own = exec->exec->find(original);
    if (own == nullptr) return Status::kInvalidValue;
    own->is_enabled = is_enabled != 0;
    return Status::kSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle,
                                    cudaGraphNode_t node,
                                    unsigned* is_enabled) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    const auto exec = find_exec(handle);
    GraphNode* original = nullptr;
    if (!exec || is_enabled == nullptr) return Status::kInvalidValue;
    const Status status = find_node(node, &original);
    if (status != Status::kSuccess) return status;
    const GraphNode* const own = exec->exec->find(original);
    if (own == nullptr) return Status::kInvalidValue;
    *is_enabled = own->is_enabled ? 1 : 0;
    return Status::kSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle,
                                 cudaGraphNodeType* type) {
  static constexpr cudaGraphNodeType kTypes[] = {
      cudaGraphNodeTypeKernel,      cudaGraphNodeTypeMemcpy,
      cudaGraphNodeTypeMemset,      cudaGraphNodeTypeHost,
      cudaGraphNodeTypeGraph,       cudaGraphNodeTypeEmpty,
      cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent,
      cudaGraphNodeTypeMemAlloc,    cudaGraphNodeTypeMemFree,
  };
  static_assert(static_cast<int>(NodeKind::kFree) + 1 == std::size(kTypes));
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    GraphNode* node = nullptr;
    if (type == nullptr) return Status::kInvalidValue;
    const Status status = find_node(handle, &node);
    if (status == Status::kSuccess)
      *type = kTypes[static_cast<int>(node->kind)];
    return status;
  });
}
