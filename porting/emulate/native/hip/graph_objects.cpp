// Graphs that the program holds, and the nodes in them.
#include "graph_objects.h"

#include "device.h"
#include "front.h"

namespace eclosion::hip {

using emulator::Graph;
using emulator::GraphNode;

namespace {

bool has_inside(const Graph& graph, const GraphNode* node) {
  if (graph.has(node)) return true;
  for (const auto& own : graph.nodes()) {
    if (own->child && has_inside(*own->child, node)) return true;
  }
  return false;
}

}  // namespace

emulator::Handles<hipGraph_t, Graph>& graphs() {
  static auto* all = new emulator::Handles<hipGraph_t, Graph>;
  return *all;
}

emulator::Handles<hipGraphExec_t, Executable>& executables() {
  static auto* all = new emulator::Handles<hipGraphExec_t, Executable>;
  return *all;
}

GraphNode* find_node(hipGraphNode_t handle) {
  auto* node = reinterpret_cast<GraphNode*>(handle);
  const bool is_known =
      node != nullptr &&
      graphs().any([&](const Graph& graph) { return has_inside(graph, node); });
  return is_known ? node : nullptr;
}

GraphNode* find_node(hipGraphExec_t executable, hipGraphNode_t handle) {
  const auto found = executables().find(executable);
  const GraphNode* original = find_node(handle);
  if (found == nullptr || original == nullptr) return nullptr;
  return found->exec->find(original);
}

hipGraph_t handle_of(const emulator::GraphRef& graph) {
  const hipGraph_t known = graphs().handle_of(graph.get());
  return known != nullptr ? known : graphs().add(graph);
}

hipError_t find_nodes(const hipGraphNode_t* handles, std::size_t count,
                      std::vector<GraphNode*>* nodes) {
  if (handles == nullptr && count != 0) return hipErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* node = find_node(handles[i]);
    if (node == nullptr) return hipErrorInvalidValue;
    nodes->push_back(node);
  }
  return hipSuccess;
}

hipError_t answer_nodes(const std::vector<GraphNode*>& nodes,
                        hipGraphNode_t* to, std::size_t* count) {
  if (count == nullptr) return hipErrorInvalidValue;
  const std::size_t room = to == nullptr ? 0 : *count;
  for (std::size_t i = 0; i < room; ++i) {
    to[i] = i < nodes.size() ? handle_of(nodes[i]) : nullptr;
  }
  *count = to == nullptr || room > nodes.size() ? nodes.size() : room;
  return hipSuccess;
}

GraphNode node_of(emulator::Work work) {
  GraphNode node;
  node.kind = work.kind;
  node.device = emulator::current_device();
  node.title = std::move(work.title);
  node.body = std::move(work.body);
  node.parameters = std::move(work.parameters);
  node.ranges = std::move(work.ranges);
  node.traits.lane = work.lane;
  return node;
}

}  // namespace eclosion::hip
