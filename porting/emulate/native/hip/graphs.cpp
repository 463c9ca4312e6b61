// Graphs: made, copied, looked at.
#include "graph.h"

#include <cstdio>
#include <unordered_map>

#include "front.h"
#include "graph_objects.h"

namespace eclosion::hip {

namespace {

using emulator::Graph;
using emulator::GraphNode;
using emulator::GraphRef;
using emulator::NodeKind;

struct TypeRow {
  NodeKind kind;
  hipGraphNodeType type;
};

constexpr TypeRow kTypes[] = {
    {NodeKind::kKernel, hipGraphNodeTypeKernel},
    {NodeKind::kCopy, hipGraphNodeTypeMemcpy},
    {NodeKind::kFill, hipGraphNodeTypeMemset},
    {NodeKind::kHost, hipGraphNodeTypeHost},
    {NodeKind::kChild, hipGraphNodeTypeGraph},
    {NodeKind::kEmpty, hipGraphNodeTypeEmpty},
    {NodeKind::kEventRecord, hipGraphNodeTypeEventRecord},
    {NodeKind::kEventWait, hipGraphNodeTypeWaitEvent},
    {NodeKind::kAllocate, hipGraphNodeTypeMemAlloc},
    {NodeKind::kFree, hipGraphNodeTypeMemFree},
};

hipGraphNodeType type_of(NodeKind kind) {
  for (const TypeRow& row : kTypes) {
    if (row.kind == kind) return row.type;
  }
  return hipGraphNodeTypeEmpty;
}

std::vector<GraphNode*> all_of(const Graph& graph) {
  std::vector<GraphNode*> nodes;
  for (const auto& node : graph.nodes()) nodes.push_back(node.get());
  return nodes;
}

std::vector<GraphNode*> followers_of(const GraphNode* node) {
  std::vector<GraphNode*> found;
  for (const auto& other : node->graph->nodes()) {
    for (const GraphNode* before : other->after) {
      if (before == node) found.push_back(other.get());
    }
  }
  return found;
}

// Change edges one by one; those before a wrong one stay changed.
template <typename Change>
hipError_t change_edges(hipGraph_t handle, const hipGraphNode_t* from,
                        const hipGraphNode_t* to, std::size_t count,
                        Change change) {
  const GraphRef graph = graphs().find(handle);
  const bool is_given = count == 0 || (from != nullptr && to != nullptr);
  if (graph == nullptr || !is_given) return hipErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    const hipError_t status =
        number(change(*graph, reinterpret_cast<GraphNode*>(from[i]),
                      reinterpret_cast<GraphNode*>(to[i])));
    if (status != hipSuccess) return status;
  }
  return hipSuccess;
}

hipError_t answer_edges(const Graph& graph, hipGraphNode_t* from,
                        hipGraphNode_t* to, std::size_t* count) {
  std::size_t at = 0;
  const std::size_t room = from == nullptr || to == nullptr ? 0 : *count;
  for (const auto& node : graph.nodes()) {
    for (GraphNode* before : node->after) {
      if (at < room) {
        from[at] = handle_of(before);
        to[at] = handle_of(node.get());
      }
      ++at;
    }
  }
  for (std::size_t i = at; i < room; ++i) from[i] = to[i] = nullptr;
  *count = room != 0 && room < at ? room : at;
  return hipSuccess;
}

hipError_t write_dot(const Graph& graph, const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return hipErrorOperatingSystem;
  std::unordered_map<const GraphNode*, std::size_t> numbers;
  std::fprintf(file, "digraph {\n");
  for (const auto& node : graph.nodes()) {
    const std::size_t number = numbers.size();
    numbers[node.get()] = number;
    std::fprintf(file, "  %zu [label=\"%s\"];\n", number,
                 node->title.what.c_str());
  }
  for (const auto& node : graph.nodes()) {
    for (const GraphNode* before : node->after) {
      std::fprintf(file, "  %zu -> %zu;\n", numbers.at(before),
                   numbers.at(node.get()));
    }
  }
  std::fprintf(file, "}\n");
  return std::fclose(file) == 0 ? hipSuccess : hipErrorOperatingSystem;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::Graph;
using eclosion::emulator::GraphNode;
using eclosion::emulator::GraphRef;

extern "C" {

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  return call(__func__, [&] {
    if (graph == nullptr || flags != 0) return hipErrorInvalidValue;
    *graph = graphs().add(std::make_shared<Graph>());
    return hipSuccess;
  });
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  return call(__func__, [&] {
    const GraphRef taken = graphs().take(graph);
    if (taken == nullptr) return hipErrorInvalidValue;
    let_go(taken.get());
    return hipSuccess;
  });
}

hipError_t hipGraphClone(hipGraph_t* clone, hipGraph_t handle) {
  return call(__func__, [&] {
    const GraphRef graph = graphs().find(handle);
    if (clone == nullptr || graph == nullptr) return hipErrorInvalidValue;
    const GraphRef copy = graph->clone();
    keep_as(graph.get(), copy.get());
    *clone = graphs().add(copy);
    return hipSuccess;
  });
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t* found,
                                   hipGraphNode_t original, hipGraph_t clone) {
  return call(__func__, [&] {
    const GraphRef graph = graphs().find(clone);
    const GraphNode* node = find_node(original);
    if (found == nullptr || graph == nullptr || node == nullptr) {
      return hipErrorInvalidValue;
    }
    GraphNode* copy = graph->find_copy(node);
    if (copy == nullptr) return hipErrorInvalidValue;
    *found = handle_of(copy);
    return hipSuccess;
  });
}

hipError_t hipGraphGetNodes(hipGraph_t handle, hipGraphNode_t* nodes,
                            std::size_t* count) {
  return call(__func__, [&] {
    const GraphRef graph = graphs().find(handle);
    if (graph == nullptr) return hipErrorInvalidValue;
    return answer_nodes(all_of(*graph), nodes, count);
  });
}

hipError_t hipGraphGetRootNodes(hipGraph_t handle, hipGraphNode_t* nodes,
                                std::size_t* count) {
  return call(__func__, [&] {
    const GraphRef graph = graphs().find(handle);
    if (graph == nullptr) return hipErrorInvalidValue;
    return answer_nodes(graph->roots(), nodes, count);
  });
}

hipError_t hipGraphGetEdges(hipGraph_t handle, hipGraphNode_t* from,
                            hipGraphNode_t* to, std::size_t* count) {
  return call(__func__, [&] {
    const GraphRef graph = graphs().find(handle);
    if (graph == nullptr || count == nullptr) return hipErrorInvalidValue;
    return answer_edges(*graph, from, to, count);
  });
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to,
                                   std::size_t count) {
  return call(__func__, [&] {
    return change_edges(
        graph, from, to, count,
        [](Graph& g, GraphNode* a, GraphNode* b) { return g.add_edge(a, b); });
  });
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph,
                                      const hipGraphNode_t* from,
                                      const hipGraphNode_t* to,
                                      std::size_t count) {
  return call(__func__, [&] {
    return change_edges(graph, from, to, count,
                        [](Graph& g, GraphNode* a, GraphNode* b) {
                          return g.remove_edge(a, b);
                        });
  });
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t handle,
                                       hipGraphNode_t* nodes,
                                       std::size_t* count) {
  return call(__func__, [&] {
    const GraphNode* node = find_node(handle);
    if (node == nullptr) return hipErrorInvalidValue;
    return answer_nodes(node->after, nodes, count);
  });
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t handle,
                                         hipGraphNode_t* nodes,
                                         std::size_t* count) {
  return call(__func__, [&] {
    const GraphNode* node = find_node(handle);
    if (node == nullptr) return hipErrorInvalidValue;
    return answer_nodes(followers_of(node), nodes, count);
  });
}

hipError_t hipGraphNodeGetType(hipGraphNode_t handle, hipGraphNodeType* type) {
  return call(__func__, [&] {
    const GraphNode* node = find_node(handle);
    if (node == nullptr || type == nullptr) return hipErrorInvalidValue;
    *type = type_of(node->kind);
    return hipSuccess;
  });
}

hipError_t hipGraphDestroyNode(hipGraphNode_t handle) {
  return call(__func__, [&]() -> hipError_t {
    GraphNode* node = find_node(handle);
    if (node == nullptr) return hipErrorInvalidValue;
    return number(node->graph->remove(node));
  });
}

hipError_t hipGraphDebugDotPrint(hipGraph_t handle, const char* path,
                                 unsigned) {
  return call(__func__, [&] {
    const GraphRef graph = graphs().find(handle);
    if (graph == nullptr || path == nullptr) return hipErrorInvalidValue;
    return write_dot(*graph, path);
  });
}

}  // extern "C"
