// Nodes that are added to a graph, and what they are asked and told.
#include "copying.h"
#include "devices.h"
#include "front.h"
#include "graph_objects.h"
#include "graph_parameters.h"
#include "objects.h"
#include "pool.h"
#include "symbols.h"

namespace eclosion::hip {

namespace {

using emulator::GraphNode;
using emulator::GraphRef;
using emulator::NodeKind;
using emulator::Work;

// Where a node is to be added, as every function that adds one is told.
struct Place {
  hipGraphNode_t* made;
  hipGraph_t graph;
  const hipGraphNode_t* after;
  std::size_t count;
};

hipError_t add(const Place& place, GraphNode node) {
  const GraphRef graph = graphs().find(place.graph);
  if (place.made == nullptr || graph == nullptr) return hipErrorInvalidValue;
  std::vector<GraphNode*> after;
  hipError_t status = find_nodes(place.after, place.count, &after);
  if (status != hipSuccess) return status;
  GraphNode* made = nullptr;
  status = number(graph->add(std::move(node), after, &made));
  if (status == hipSuccess) *place.made = handle_of(made);
  return status;
}

// `parameters`: the vendor's struct, for plan().
template <typename Parameters>
hipError_t add_planned(const Place& place, const Parameters& parameters,
                       const void* site) {
  use_current_device();
  Work work;
  const hipError_t status = plan(parameters, site, &work);
  return status != hipSuccess ? status : add(place, node_of(std::move(work)));
}

hipError_t add_event(const Place& place, NodeKind kind, hipEvent_t handle,
                     const void* site) {
  const auto event = events().find(handle);
  if (event == nullptr) return hipErrorInvalidValue;
  Work work;
  work.kind = kind;
  work.title = {kind == NodeKind::kEventRecord ? "record of an event"
                                               : "wait for an event",
                site};
  GraphNode node = node_of(std::move(work));
  node.event = event;
  return add(place, std::move(node));
}

hipError_t add_child(const Place& place, hipGraph_t handle, const void* site) {
  const GraphRef child = graphs().find(handle);
  if (child == nullptr) return hipErrorInvalidValue;
  Work work;
  work.kind = NodeKind::kChild;
  work.title = {"graph", site};
  GraphNode node = node_of(std::move(work));
  node.child = child;
  return add(place, std::move(node));
}

hipError_t add_allocation(const Place& place, hipMemAllocNodeParams* p,
                          const void* site) {
  if (p == nullptr || p->poolProps.location.type != hipMemLocationTypeDevice ||
      !is_device(p->poolProps.location.id)) {
    return hipErrorInvalidValue;
  }
  emulator::GraphAllocation made;
  const hipError_t status = number(emulator::allocate_in_graph(
      p->bytesize, p->poolProps.location.id, site, &made));
  if (status != hipSuccess) return status;
  p->dptr = made.address;
  Work work;
  work.kind = NodeKind::kAllocate;
  work.title = {"allocation of a graph", site};
  work.body = std::move(made.allocate);
  work.parameters = *p;
  return add(place, node_of(std::move(work)));
}

hipError_t add_free(const Place& place, void* address, const void* site) {
  Work work;
  const hipError_t status =
      number(emulator::free_in_graph(address, &work.body));
  if (status != hipSuccess) return status;
  work.kind = NodeKind::kFree;
  work.title = {"free of a graph", site};
  work.parameters = address;
  return add(place, node_of(std::move(work)));
}

GraphNode empty_node(const void* site) {
  Work work;
  work.kind = NodeKind::kEmpty;
  work.title = {"empty node", site};
  return node_of(std::move(work));
}

hipError_t add_any(const Place& place, hipGraphNodeParams* p,
                   const void* site) {
  switch (p->type) {
    case hipGraphNodeTypeKernel:
      return add_planned(place, &p->kernel, site);
    case hipGraphNodeTypeMemcpy:
      return add_planned(place, &p->memcpy.copyParams, site);
    case hipGraphNodeTypeMemset:
      return add_planned(place, &p->memset, site);
    case hipGraphNodeTypeHost:
      return add_planned(place, &p->host, site);
    case hipGraphNodeTypeGraph:
      return add_child(place, p->graph.graph, site);
    case hipGraphNodeTypeWaitEvent:
      return add_event(place, NodeKind::kEventWait, p->eventWait.event, site);
    case hipGraphNodeTypeEventRecord:
      return add_event(place, NodeKind::kEventRecord, p->eventRecord.event,
                       site);
    case hipGraphNodeTypeMemAlloc:
      return add_allocation(place, &p->alloc, site);
    case hipGraphNodeTypeMemFree:
      return add_free(place, p->free.dptr, site);
    case hipGraphNodeTypeEmpty:
      return add(place, empty_node(site));
    default:
      return hipErrorNotSupported;
  }
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::NodeKind;

extern "C" {

hipError_t hipGraphAddNode(hipGraphNode_t* made, hipGraph_t graph,
                           const hipGraphNode_t* after, std::size_t count,
                           hipGraphNodeParams* parameters) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    if (parameters == nullptr) return hipErrorInvalidValue;
    return add_any({made, graph, after, count}, parameters, site);
  });
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t* made, hipGraph_t graph,
                                 const hipGraphNode_t* after, std::size_t count,
                                 const hipKernelNodeParams* parameters) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_planned({made, graph, after, count}, parameters, site);
  });
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* made, hipGraph_t graph,
                                 const hipGraphNode_t* after, std::size_t count,
                                 const hipMemcpy3DParms* parameters) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_planned({made, graph, after, count}, parameters, site);
  });
}

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* made, hipGraph_t graph,
                                    const hipGraphNode_t* after,
                                    std::size_t count, const HIP_MEMCPY3D* p,
                                    hipCtx_t) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    CopyRequest request;
    const hipError_t status = read(p, &request);
    if (status != hipSuccess) return status;
    return add_planned({made, graph, after, count}, request, site);
  });
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* made, hipGraph_t graph,
                                   const hipGraphNode_t* after,
                                   std::size_t count, void* to,
                                   const void* from, std::size_t size,
                                   hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_planned({made, graph, after, count}, line(to, from, size, kind),
                       site);
  });
}

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* made, hipGraph_t graph,
                                         const hipGraphNode_t* after,
                                         std::size_t count, const void* symbol,
                                         const void* from, std::size_t size,
                                         std::size_t offset,
                                         hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    void* to = nullptr;
    const hipError_t status = find_part(symbol, offset, size, &to);
    if (status != hipSuccess) return status;
    return add_planned({made, graph, after, count}, line(to, from, size, kind),
                       site);
  });
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(
    hipGraphNode_t* made, hipGraph_t graph, const hipGraphNode_t* after,
    std::size_t count, void* to, const void* symbol, std::size_t size,
    std::size_t offset, hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    void* from = nullptr;
    const hipError_t status = find_part(symbol, offset, size, &from);
    if (status != hipSuccess) return status;
    return add_planned({made, graph, after, count}, line(to, from, size, kind),
                       site);
  });
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* made, hipGraph_t graph,
                                 const hipGraphNode_t* after, std::size_t count,
                                 const hipMemsetParams* parameters) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_planned({made, graph, after, count}, parameters, site);
  });
}

hipError_t hipGraphAddHostNode(hipGraphNode_t* made, hipGraph_t graph,
                               const hipGraphNode_t* after, std::size_t count,
                               const hipHostNodeParams* parameters) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_planned({made, graph, after, count}, parameters, site);
  });
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* made, hipGraph_t graph,
                                     const hipGraphNode_t* after,
                                     std::size_t count, hipGraph_t child) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_child({made, graph, after, count}, child, site);
  });
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* made, hipGraph_t graph,
                                const hipGraphNode_t* after,
                                std::size_t count) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add({made, graph, after, count}, empty_node(site));
  });
}

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* made, hipGraph_t graph,
                                      const hipGraphNode_t* after,
                                      std::size_t count, hipEvent_t event) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_event({made, graph, after, count}, NodeKind::kEventRecord, event,
                     site);
  });
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* made, hipGraph_t graph,
                                    const hipGraphNode_t* after,
                                    std::size_t count, hipEvent_t event) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_event({made, graph, after, count}, NodeKind::kEventWait, event,
                     site);
  });
}

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* made, hipGraph_t graph,
                                   const hipGraphNode_t* after,
                                   std::size_t count,
                                   hipMemAllocNodeParams* parameters) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_allocation({made, graph, after, count}, parameters, site);
  });
}

hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* made, hipGraph_t graph,
                                  const hipGraphNode_t* after,
                                  std::size_t count, void* address) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return add_free({made, graph, after, count}, address, site);
  });
}

}  // extern "C"
