// Graphs by the driver's functions: made, tied together, instantiated,
// launched.
#include "front.h"
#include "graphs.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::GraphDifference;
using emulator::NodeKind;

namespace {

// All edges are plain ones.
void clear(CUgraphEdgeData* edges, const size_t* count) {
  if (edges == nullptr) return;
  for (size_t i = 0; i < *count; ++i) edges[i] = {};
}

CUresult list(const char* function, CUgraph handle, CUgraphNode* nodes,
              size_t* count,
              std::vector<GraphNode*> (*choose)(const emulator::Graph&)) {
  return driver_call(function, kDriver, [&]() -> DriverResult {
    GraphRef graph;
    const Status status = find_graph(handle, &graph);
    return status != Status::kSuccess
               ? status
               : list_nodes(choose(*graph), nodes, count);
  });
}

CUresult list_around(const char* function, CUgraphNode handle,
                     CUgraphNode* nodes, CUgraphEdgeData* edges, size_t* count,
                     bool is_before) {
  return driver_call(function, kDriver, [&]() -> DriverResult {
    GraphNode* node = nullptr;
    Status status = find_node(handle, &node);
    if (status != Status::kSuccess) return status;
    status =
        list_nodes(is_before ? node->after : followers_of(*node), nodes, count);
    if (status == Status::kSuccess) clear(edges, count);
    return status;
  });
}

}  // namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (graph == nullptr || flags != 0) return Status::kInvalidValue;
    *graph = graph_handle(std::make_shared<emulator::Graph>());
    return Status::kSuccess;
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return driver_call(__func__, kDriver,
                     [&]() -> DriverResult { return destroy_graph(graph); });
}

CUresult cuGraphClone(CUgraph* clone, CUgraph original) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (clone == nullptr) return Status::kInvalidValue;
    GraphRef graph;
    const Status status = find_graph(original, &graph);
    if (status == Status::kSuccess) *clone = graph_handle(graph->clone());
    return status;
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* node, CUgraphNode original,
                                CUgraph clone) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
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

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return list(__func__, graph, nodes, count, nodes_of);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return list(__func__, graph, nodes, count,
              [](const emulator::Graph& g) { return g.roots(); });
}

CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to,
                         CUgraphEdgeData* edges, size_t* count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    GraphRef graph;
    Status status = find_graph(handle, &graph);
    if (status == Status::kSuccess) {
      status = list_edges(*graph, from, to, count);
    }
    if (status == Status::kSuccess) clear(edges, count);
    return status;
  });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes,
                                    CUgraphEdgeData* edges, size_t* count) {
  return list_around(__func__, node, nodes, edges, count, true);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes,
                                      CUgraphEdgeData* edges, size_t* count) {
  return list_around(__func__, node, nodes, edges, count, false);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                                const CUgraphNode* to,
                                const CUgraphEdgeData* /*edges*/,
                                size_t count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return add_edges(graph, from, to, count);
  });
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                   const CUgraphNode* to,
                                   const CUgraphEdgeData* /*edges*/,
                                   size_t count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return remove_edges(graph, from, to, count);
  });
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    GraphNode* node = nullptr;
    const Status status = find_node(handle, &node);
    return status != Status::kSuccess ? status : node->graph->remove(node);
  });
}

CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph,
                            unsigned long long flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return instantiate(graph, flags, exec);
  });
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (params == nullptr) return Status::kInvalidValue;
    const Status status = instantiate(graph, params->flags, exec);
    params->hErrNode_out = nullptr;
    params->result_out = status == Status::kSuccess
                             ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                             : CUDA_GRAPH_INSTANTIATE_ERROR;
    return status;
  });
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    const auto exec = find_exec(handle);
    if (!exec || flags == nullptr) return Status::kInvalidValue;
    *flags = exec->flags;
    return Status::kSuccess;
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return launch_exec(exec, stream, site);
  });
}

// Nothing is prepared before a launch.
CUresult cuGraphUpload(CUgraphExec exec, CUstream handle) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (!find_exec(exec)) return Status::kInvalidValue;
    StreamRef stream;
    return find_stream(handle, &stream);
  });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return driver_call(__func__, kDriver,
                     [&]() -> DriverResult { return destroy_exec(exec); });
}

namespace {

CUgraphExecUpdateResult result_of(Status status, GraphDifference difference) {
  if (status == Status::kSuccess) return CU_GRAPH_EXEC_UPDATE_SUCCESS;
  switch (difference) {
    case GraphDifference::kTopology:
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    case GraphDifference::kNodeKind:
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    case GraphDifference::kDevice:
      return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    default:
      return CU_GRAPH_EXEC_UPDATE_ERROR;
  }
}

}  // namespace

CUresult cuGraphExecUpdate(CUgraphExec handle, CUgraph graph,
                           CUgraphExecUpdateResultInfo* info) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
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
