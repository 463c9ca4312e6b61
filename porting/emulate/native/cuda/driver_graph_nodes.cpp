// Nodes made, changed and tied together; graphs instantiated and launched.
#include <utility>

#include "device.h"
#include "graphs.h"

namespace eclosion::cuda {
namespace {

using emulator::NodeKind;
using emulator::Work;

constexpr unsigned long long kInstantiateFlags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
    CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

GraphNode node_of(Work work) {
  GraphNode node;
  node.kind = work.kind;
  node.device = emulator::current_device();
  node.title = std::move(work.title);
  node.body = std::move(work.body);
  node.parameters = std::move(work.parameters);
  node.traits.lane = work.lane;
  node.ranges = std::move(work.ranges);
  return node;
}

Status find_place(const NodePlace& place, GraphRef* graph,
                  std::vector<GraphNode*>* after) {
  const Status status = find_graph(place.graph, graph);
  if (status != Status::kSuccess) return status;
  if (place.after == nullptr && place.count != 0) return Status::kInvalidValue;
  for (std::size_t i = 0; i < place.count; ++i) {
    GraphNode* node = nullptr;
    const Status found = find_node(place.after[i], &node);
    if (found != Status::kSuccess) return found;
    after->push_back(node);
  }
  return Status::kSuccess;
}

// What the nodes of a graph, and of graphs in it, allocate and free.
void note_memory(const emulator::Graph& graph, emulator::GraphMemoryUse* use) {
  for (const auto& node : graph.nodes()) {
    if (node->child) note_memory(*node->child, use);
    const auto* const memory =
        std::any_cast<emulator::GraphMemoryNode>(&node->parameters);
    if (memory == nullptr) continue;
    (node->kind == NodeKind::kAllocate ? use->allocated : use->freed)
        .push_back(memory->address);
  }
}

template <typename Change>
Status for_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                 std::size_t count, Change&& change) {
  GraphRef graph;
  const Status status = find_graph(handle, &graph);
  if (status != Status::kSuccess) return status;
  if (count != 0 && (from == nullptr || to == nullptr)) {
    return Status::kInvalidValue;
  }
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* first = nullptr;
    GraphNode* second = nullptr;
    Status done = find_node(from[i], &first);
    if (done == Status::kSuccess) done = find_node(to[i], &second);
    if (done == Status::kSuccess) done = change(*graph, first, second);
    if (done != Status::kSuccess) return done;
  }
  return Status::kSuccess;
}

}  // namespace

Status add_node(const NodePlace& place, GraphNode node, CUgraphNode* handle) {
  if (handle == nullptr) return Status::kInvalidValue;
  GraphRef graph;
  std::vector<GraphNode*> after;
  Status status = find_place(place, &graph, &after);
  if (status != Status::kSuccess) return status;
  GraphNode* made = nullptr;
  status = graph->add(std::move(node), after, &made);
  if (status == Status::kSuccess) *handle = node_handle(made);
  return status;
}

Status add_node(const NodePlace& place, Work work, CUgraphNode* handle) {
  return add_node(place, node_of(std::move(work)), handle);
}

Status replace(GraphNode* node, Work work) {
  if (node->kind != work.kind) return Status::kInvalidValue;
  node->title = std::move(work.title);
  node->body = std::move(work.body);
  node->parameters = std::move(work.parameters);
  node->ranges = std::move(work.ranges);
  return Status::kSuccess;
}

Status replace_in(CUgraphExec handle, CUgraphNode node, Work work) {
  const std::shared_ptr<Exec> exec = find_exec(handle);
  if (!exec) return Status::kInvalidValue;
  GraphNode* original = nullptr;
  const Status status = find_node(node, &original);
  if (status != Status::kSuccess) return status;
  GraphNode* const own = exec->exec->find(original);
  return own == nullptr ? Status::kInvalidValue : replace(own, std::move(work));
}

Status plan_node(const Copy& copy, Work* work) {
  Status status = check_direction(copy);
  if (status != Status::kSuccess) return status;
  status = emulator::plan_copy(copy.to, copy.from, copy.box, copy.site, work);
  if (status == Status::kSuccess) work->parameters = CopyNode{copy};
  return status;
}

Status plan_node(const Fill& fill, Work* work) {
  const Status status = emulator::plan_fill(fill.to, fill.box, fill.value,
                                            fill.element, fill.site, work);
  if (status == Status::kSuccess) work->parameters = FillNode{fill};
  return status;
}

Status plan_node(const HostNode& host, Work* work) {
  if (host.function == nullptr) return Status::kInvalidValue;
  work->kind = NodeKind::kHost;
  work->title = {"function of the host", nullptr};
  work->body = [host](emulator::Operation&) {
    host.function(host.data);
    return Status::kSuccess;
  };
  work->parameters = host;
  work->lane = emulator::Lane::kHost;
  return Status::kSuccess;
}

Status add_event_node(const NodePlace& place, NodeKind kind, CUevent handle,
                      CUgraphNode* node) {
  GraphNode made;
  const Status status = find_event(handle, &made.event);
  if (status != Status::kSuccess) return status;
  made.kind = kind;
  made.device = emulator::current_device();
  made.parameters = handle;
  return add_node(place, std::move(made), node);
}

Status add_child(const NodePlace& place, CUgraph child, CUgraphNode* handle) {
  GraphNode node;
  const Status status = find_graph(child, &node.child);
  if (status != Status::kSuccess) return status;
  node.kind = NodeKind::kChild;
  node.device = emulator::current_device();
  return add_node(place, std::move(node), handle);
}

Status add_allocation(const NodePlace& place, std::size_t size, int device,
                      const void* site, void** address, CUgraphNode* handle) {
  if (address == nullptr || size == 0) return Status::kInvalidValue;
  emulator::GraphAllocation allocation;
  Status status = emulator::allocate_in_graph(size, device, site, &allocation);
  if (status != Status::kSuccess) return status;
  GraphNode node;
  node.kind = NodeKind::kAllocate;
  node.device = device;
  node.title = {"allocation of a graph", site};
  node.body = std::move(allocation.allocate);
  node.parameters = emulator::GraphMemoryNode{allocation.address, size, device};
  status = add_node(place, std::move(node), handle);
  if (status == Status::kSuccess) *address = allocation.address;
  return status;
}

Status add_free(const NodePlace& place, void* address, CUgraphNode* handle) {
  GraphNode node;
  const Status status = emulator::free_in_graph(address, &node.body);
  if (status != Status::kSuccess) return status;
  node.kind = NodeKind::kFree;
  node.device = emulator::current_device();
  node.title = {"free of a graph", nullptr};
  node.parameters = emulator::GraphMemoryNode{.address = address};
  return add_node(place, std::move(node), handle);
}

Status add_edges(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                 std::size_t count) {
  return for_edges(graph, from, to, count,
                   [](emulator::Graph& g, GraphNode* a, GraphNode* b) {
                     return g.add_edge(a, b);
                   });
}

Status remove_edges(CUgraph graph, const CUgraphNode* from,
                    const CUgraphNode* to, std::size_t count) {
  return for_edges(graph, from, to, count,
                   [](emulator::Graph& g, GraphNode* a, GraphNode* b) {
                     return g.remove_edge(a, b);
                   });
}

Status instantiate(CUgraph handle, unsigned long long flags,
                   CUgraphExec* made) {
  if (made == nullptr || (flags & ~kInstantiateFlags) != 0) {
    return Status::kInvalidValue;
  }
  GraphRef graph;
  Status status = find_graph(handle, &graph);
  if (status != Status::kSuccess) return status;
  auto exec = std::make_shared<Exec>();
  exec->flags = flags;
  status = emulator::GraphExec::instantiate(*graph, &exec->exec);
  if (status != Status::kSuccess) return status;
  note_memory(*graph, &exec->memory);
  exec->objects = kept_by(*graph);
  exec->memory.frees_left =
      (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
  *made = add_exec(exec);
  return status;
}

Status launch_exec(CUgraphExec handle, CUstream stream_handle,
                   const void* site) {
  const std::shared_ptr<Exec> exec = find_exec(handle);
  if (!exec) return Status::kInvalidValue;
  StreamRef stream;
  Status status = find_stream(stream_handle, &stream);
  if (status != Status::kSuccess) return status;
  const emulator::GraphMemoryUse& memory = exec->memory;
  if (!memory.allocated.empty() || !memory.freed.empty()) {
    status = emulator::prepare_launch(*stream, memory, site);
    if (status != Status::kSuccess) return status;
  }
  return exec->exec->launch(*stream, site);
}

}  // namespace eclosion::cuda
