// The tables behind the handles of graphs, nodes and what is instantiated.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "graphs.h"

namespace eclosion::cuda {
namespace {

using emulator::Graph;

struct Tables {
  emulator::Handles<CUgraph, Graph> graphs;
  emulator::Handles<CUgraphExec, Exec> execs;
  std::mutex lock;
  std::unordered_map<const Graph*, CUgraph> handles;
  std::unordered_map<const GraphNode*, std::weak_ptr<Graph>> nodes;
};

Tables& tables() {
  static auto* made = new Tables;
  return *made;
}

}  // namespace

CUgraph graph_handle(const GraphRef& graph) {
  Tables& all = tables();
  const std::lock_guard held(all.lock);
  CUgraph& handle = all.handles[graph.get()];
  if (handle == nullptr || all.graphs.find(handle) != graph) {
    handle = all.graphs.add(graph);
  }
  return handle;
}

Status find_graph(CUgraph handle, GraphRef* graph) {
  *graph = tables().graphs.find(handle);
  return *graph ? Status::kSuccess : Status::kInvalidValue;
}

Status destroy_graph(CUgraph handle) {
  Tables& all = tables();
  const GraphRef graph = all.graphs.take(handle);
  if (!graph) return Status::kInvalidValue;
  drop_all(*graph);
  const std::lock_guard held(all.lock);
  all.handles.erase(graph.get());
  for (const auto& node : graph->nodes()) all.nodes.erase(node.get());
  return Status::kSuccess;
}

CUgraphExec add_exec(const std::shared_ptr<Exec>& exec) {
  return tables().execs.add(exec);
}

std::shared_ptr<Exec> find_exec(CUgraphExec handle) {
  return tables().execs.find(handle);
}

Status destroy_exec(CUgraphExec handle) {
  return tables().execs.take(handle) ? Status::kSuccess : Status::kInvalidValue;
}

CUgraphNode node_handle(GraphNode* node) {
  Tables& all = tables();
  const std::lock_guard held(all.lock);
  all.nodes[node] = node->graph->weak_from_this();
  return reinterpret_cast<CUgraphNode>(node);
}

Status find_node(CUgraphNode handle, GraphNode** node) {
  Tables& all = tables();
  auto* const wanted = reinterpret_cast<GraphNode*>(handle);
  const std::lock_guard held(all.lock);
  const auto found = all.nodes.find(wanted);
  if (found == all.nodes.end()) return Status::kInvalidValue;
  const GraphRef graph = found->second.lock();
  if (!graph || !graph->has(wanted)) {
    all.nodes.erase(found);
    return Status::kInvalidValue;
  }
  *node = wanted;
  return Status::kSuccess;
}

Status find_node(CUgraphNode handle, emulator::NodeKind kind,
                 GraphNode** node) {
  const Status status = find_node(handle, node);
  if (status != Status::kSuccess) return status;
  return (*node)->kind == kind ? Status::kSuccess : Status::kInvalidValue;
}

Status list_nodes(const std::vector<GraphNode*>& nodes, CUgraphNode* handles,
                  std::size_t* count) {
  if (count == nullptr) return Status::kInvalidValue;
  if (handles != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) {
      handles[i] = i < nodes.size() ? node_handle(nodes[i]) : nullptr;
    }
  }
  *count = handles == nullptr ? nodes.size() : std::min(*count, nodes.size());
  return Status::kSuccess;
}

std::vector<GraphNode*> nodes_of(const Graph& graph) {
  std::vector<GraphNode*> nodes;
  for (const auto& node : graph.nodes()) nodes.push_back(node.get());
  return nodes;
}

std::vector<GraphNode*> followers_of(const GraphNode& node) {
  std::vector<GraphNode*> found;
  for (const auto& other : node.graph->nodes()) {
    if (std::ranges::find(other->after, &node) != other->after.end()) {
      found.push_back(other.get());
    }
  }
  return found;
}

Status list_edges(const Graph& graph, CUgraphNode* from, CUgraphNode* to,
                  std::size_t* count) {
  if (count == nullptr || (from == nullptr) != (to == nullptr)) {
    return Status::kInvalidValue;
  }
  std::size_t number = 0;
  for (const auto& node : graph.nodes()) {
    for (GraphNode* before : node->after) {
      if (from != nullptr && number < *count) {
        from[number] = node_handle(before);
        to[number] = node_handle(node.get());
      }
      ++number;
    }
  }
  for (std::size_t i = number; from != nullptr && i < *count; ++i) {
    from[i] = to[i] = nullptr;
  }
  *count = from == nullptr ? number : std::min(*count, number);
  return Status::kSuccess;
}

}  // namespace eclosion::cuda
