// Graphs by the runtime's functions: made, tied together, instantiated,
// launched.
#include "front.h"
#include "graphs.h"
#include "pool.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::GraphDifference;
using emulator::NodeKind;

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (graph == nullptr || flags != 0) return Status::kInvalidValue;
    *graph = graph_handle(std::make_shared<emulator::Graph>());
    return Status::kSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return runtime_call(__func__, kDriver,
                      [&]() -> RuntimeResult { return destroy_graph(graph); });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (clone == nullptr) return Status::kInvalidValue;
    GraphRef graph;
    const Status status = find_graph(original, &graph);
    if (status == Status::kSuccess) *clone = graph_handle(graph->clone());
    return status;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node,
                                     cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (node == nullptr) return Status::kInvalidValue;
    GraphRef graph;
    GraphNode* wanted = nullptr;
    Status status = find_graph(clone, &graph);
    if (status == Status::kSuccess) status = find_node(original, &wanted);
    if (status != Status::kSuccess) return status;
    GraphNode* const copy = graph->find_copy(wanted);
    if (copy == nullptr) return Status::kInvalidValue;
    *node = node_handle(copy);
    return Status::kSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes,
                              size_t* count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    GraphRef graph;
    const Status status = find_graph(handle, &graph);
    return status != Status::kSuccess
               ? status
               : list_nodes(nodes_of(*graph), nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes,
                                  size_t* count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    GraphRef graph;
    const Status status = find_graph(handle, &graph);
    return status != Status::kSuccess
               ? status
               : list_nodes(graph->roots(), nodes, count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from,
                              cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                              size_t* count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    GraphRef graph;
    Status status = find_graph(handle, &graph);
    if (status == Status::kSuccess) {
      status = list_edges(*graph, from, to, count);
    }
    if (status != Status::kSuccess || edges == nullptr) return status;
    for (std::size_t i = 0; i < *count; ++i) edges[i] = {};
    return status;
  });
}

namespace {

RuntimeResult list_plain(const std::vector<GraphNode*>& found,
                         cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                         size_t* count) {
  const Status status = list_nodes(found, nodes, count);
  if (status != Status::kSuccess || edges == nullptr) return status;
  for (std::size_t i = 0; i < *count; ++i) edges[i] = {};
  return status;
}

}  // namespace

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle,
                                         cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* edges,
                                         size_t* count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    GraphNode* node = nullptr;
    const Status status = find_node(handle, &node);
    if (status != Status::kSuccess) return status;
    return list_plain(node->after, nodes, edges, count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle,
                                           cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* edges,
                                           size_t* count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    GraphNode* node = nullptr;
    const Status status = find_node(handle, &node);
    if (status != Status::kSuccess) return status;
    return list_plain(followers_of(*node), nodes, edges, count);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* /*edges*/,
                                     size_t count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return add_edges(graph, from, to, count);
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                        const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData* /*edges*/,
                                        size_t count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return remove_edges(graph, from, to, count);
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    GraphNode* node = nullptr;
    const Status status = find_node(handle, &node);
    return status != Status::kSuccess ? status : node->graph->remove(node);
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return instantiate(graph, flags, exec);
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return instantiate(graph, flags, exec);
  });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec,
                                           cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (params == nullptr) return Status::kInvalidValue;
    const Status status = instantiate(graph, params->flags, exec);
    params->errNode_out = nullptr;
    params->result_out = status == Status::kSuccess
                             ? cudaGraphInstantiateSuccess
                             : cudaGraphInstantiateError;
    return status;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle,
                                  unsigned long long* flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    const auto exec = find_exec(handle);
    if (!exec || flags == nullptr) return Status::kInvalidValue;
    *flags = exec->flags;
    return Status::kSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return launch_exec(exec, stream, site);
  });
}

// Nothing is prepared before a launch.
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t handle) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (!find_exec(exec)) return Status::kInvalidValue;
    StreamRef stream;
    return find_stream(handle, &stream);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return runtime_call(__func__, kDriver,
                      [&]() -> RuntimeResult { return destroy_exec(exec); });
}

namespace {

cudaGraphExecUpdateResult result_of(Status status, GraphDifference difference) {
  if (status == Status::kSuccess) return cudaGraphExecUpdateSuccess;
  switch (difference) {
    case GraphDifference::kTopology:
      return cudaGraphExecUpdateErrorTopologyChanged;
    case GraphDifference::kNodeKind:
      return cudaGraphExecUpdateErrorNodeTypeChanged;
    case GraphDifference::kDevice:
      return cudaGraphExecUpdateErrorUnsupportedFunctionChange;
    default:
      return cudaGraphExecUpdateError;
  }
}

}  // namespace

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    const auto exec = find_exec(handle);
    if (!exec || info == nullptr) return Status::kInvalidValue;
    GraphRef wanted;
    Status status = find_graph(graph, &wanted);
    if (status != Status::kSuccess) return status;
    GraphDifference difference = GraphDifference::kNone;
    const GraphNode* at = nullptr;
    status = exec->exec->update(*wanted, &difference, &at);
    *info = {};
    info->result = result_of(status, difference);
    if (at != nullptr) {
      info->errorNode = node_handle(const_cast<GraphNode*>(at));
    }
    return status;
  });
}
