// Handles of graphs, their nodes and what is instantiated of them, and nodes as
// both libraries make and read them.
#pragma once

#include <cuda.h>

#include <vector>

#include "copying.h"
#include "graph.h"
#include "kernels.h"
#include "objects.h"
#include "pool.h"
#include "streaming.h"
#include "user_objects.h"

namespace eclosion::cuda {

using emulator::GraphNode;

// One graph has one handle, however often it is asked for.
CUgraph graph_handle(const GraphRef& graph);
Status find_graph(CUgraph handle, GraphRef* graph);
Status destroy_graph(CUgraph handle);

struct Exec {
  GraphExecRef exec;
  unsigned long long flags = 0;
  emulator::GraphMemoryUse memory;
  KeptObjects objects;
};
CUgraphExec add_exec(const std::shared_ptr<Exec>& exec);
std::shared_ptr<Exec> find_exec(CUgraphExec handle);
Status destroy_exec(CUgraphExec handle);

// The handle of a node is its address; kInvalidValue: no node of a live graph.
CUgraphNode node_handle(GraphNode* node);
Status find_node(CUgraphNode handle, GraphNode** node);
Status find_node(CUgraphNode handle, emulator::NodeKind kind, GraphNode** node);

// As all functions list: null asks for the number; what is left of room is
// null, and the number is that of the nodes there are.
Status list_nodes(const std::vector<GraphNode*>& nodes, CUgraphNode* handles,
                  std::size_t* count);
std::vector<GraphNode*> nodes_of(const emulator::Graph& graph);
std::vector<GraphNode*> followers_of(const GraphNode& node);

// Where a new node stands.
struct NodePlace {
  CUgraph graph = nullptr;
  const CUgraphNode* after = nullptr;
  std::size_t count = 0;
};
Status add_node(const NodePlace& place, GraphNode node, CUgraphNode* handle);
Status add_node(const NodePlace& place, emulator::Work work,
                CUgraphNode* handle);
// What a node does from now on; kInvalidValue: of another kind.
Status replace(GraphNode* node, emulator::Work work);
// The same in what was instantiated, of the node that it came of.
Status replace_in(CUgraphExec exec, CUgraphNode node, emulator::Work work);

Status plan_node(const Copy& copy, emulator::Work* work);
Status plan_node(const Fill& fill, emulator::Work* work);
Status plan_node(const HostNode& host, emulator::Work* work);

Status add_event_node(const NodePlace& place, emulator::NodeKind kind,
                      CUevent event, CUgraphNode* handle);
// A node that allocates, whose address is known at once, and one that frees.
Status add_allocation(const NodePlace& place, std::size_t size, int device,
                      const void* site, void** address, CUgraphNode* handle);
Status add_free(const NodePlace& place, void* address, CUgraphNode* handle);

Status add_child(const NodePlace& place, CUgraph child, CUgraphNode* handle);

// Edges: `from[i]` before `to[i]`.
Status add_edges(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                 std::size_t count);
Status remove_edges(CUgraph graph, const CUgraphNode* from,
                    const CUgraphNode* to, std::size_t count);
Status list_edges(const emulator::Graph& graph, CUgraphNode* from,
                  CUgraphNode* to, std::size_t* count);

Status instantiate(CUgraph graph, unsigned long long flags, CUgraphExec* exec);
Status launch_exec(CUgraphExec exec, CUstream stream, const void* site);

}  // namespace eclosion::cuda
