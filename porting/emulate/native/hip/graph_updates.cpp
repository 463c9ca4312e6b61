// What nodes are asked, and other parameters for them: in graphs and in
// instantiated graphs.
#include "copying.h"
#include "front.h"
#include "graph_objects.h"
#include "graph_parameters.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

using emulator::EventRef;
using emulator::GraphNode;
using emulator::NodeKind;

template <typename Parameters>
hipError_t get(hipGraphNode_t handle, Parameters* parameters) {
  const GraphNode* node = find_node(handle);
  return node == nullptr ? hipErrorInvalidValue : answer(*node, parameters);
}

hipError_t set_any(GraphNode* node, hipGraphNodeParams* p, const void* site) {
  if (p == nullptr) return hipErrorInvalidValue;
  switch (p->type) {
    case hipGraphNodeTypeKernel:
      return set(node, &p->kernel, site);
    case hipGraphNodeTypeMemcpy:
      return set(node, &p->memcpy.copyParams, site);
    case hipGraphNodeTypeMemset:
      return set(node, &p->memset, site);
    case hipGraphNodeTypeHost:
      return set(node, &p->host, site);
    default:
      return hipErrorNotSupported;
  }
}

hipError_t set_event(GraphNode* node, NodeKind kind, hipEvent_t handle) {
  const EventRef event = events().find(handle);
  if (node == nullptr || node->kind != kind || event == nullptr) {
    return hipErrorInvalidValue;
  }
  node->event = event;
  return hipSuccess;
}

hipError_t get_event(hipGraphNode_t handle, NodeKind kind, hipEvent_t* event) {
  const GraphNode* node = find_node(handle);
  if (node == nullptr || node->kind != kind || event == nullptr) {
    return hipErrorInvalidValue;
  }
  *event = events().handle_of(node->event.get());
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::GraphNode;
using eclosion::emulator::NodeKind;

extern "C" {

hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set_any(find_node(node), p, site); });
}
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                     hipGraphNodeParams* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__,
              [&] { return set_any(find_node(exec, node), p, site); });
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node,
                                       hipKernelNodeParams* p) {
  return call(__func__, [&] { return get(node, p); });
}
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node,
                                       const hipKernelNodeParams* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set(find_node(node), p, site); });
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec,
                                           hipGraphNode_t node,
                                           const hipKernelNodeParams* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set(find_node(exec, node), p, site); });
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node,
                                       hipMemcpy3DParms* p) {
  return call(__func__, [&] { return get(node, p); });
}
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node,
                                       const hipMemcpy3DParms* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set(find_node(node), p, site); });
}
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec,
                                           hipGraphNode_t node,
                                           hipMemcpy3DParms* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return set(find_node(exec, node), static_cast<const hipMemcpy3DParms*>(p),
               site);
  });
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to,
                                         const void* from, std::size_t size,
                                         hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return set(find_node(node), line(to, from, size, kind), site);
  });
}
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec,
                                             hipGraphNode_t node, void* to,
                                             const void* from, std::size_t size,
                                             hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return set(find_node(exec, node), line(to, from, size, kind), site);
  });
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node,
                                       hipMemsetParams* p) {
  return call(__func__, [&] { return get(node, p); });
}
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node,
                                       const hipMemsetParams* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set(find_node(node), p, site); });
}
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec,
                                           hipGraphNode_t node,
                                           const hipMemsetParams* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set(find_node(exec, node), p, site); });
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node,
                                     hipHostNodeParams* p) {
  return call(__func__, [&] { return get(node, p); });
}
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node,
                                     const hipHostNodeParams* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set(find_node(node), p, site); });
}
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec,
                                         hipGraphNode_t node,
                                         const hipHostNodeParams* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set(find_node(exec, node), p, site); });
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node,
                                           hipEvent_t* event) {
  return call(__func__,
              [&] { return get_event(node, NodeKind::kEventRecord, event); });
}
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node,
                                           hipEvent_t event) {
  return call(__func__, [&] {
    return set_event(find_node(node), NodeKind::kEventRecord, event);
  });
}
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec,
                                               hipGraphNode_t node,
                                               hipEvent_t event) {
  return call(__func__, [&] {
    return set_event(find_node(exec, node), NodeKind::kEventRecord, event);
  });
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node,
                                         hipEvent_t* event) {
  return call(__func__,
              [&] { return get_event(node, NodeKind::kEventWait, event); });
}
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node,
                                         hipEvent_t event) {
  return call(__func__, [&] {
    return set_event(find_node(node), NodeKind::kEventWait, event);
  });
}
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec,
                                             hipGraphNode_t node,
                                             hipEvent_t event) {
  return call(__func__, [&] {
    return set_event(find_node(exec, node), NodeKind::kEventWait, event);
  });
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t handle,
                                          hipGraph_t* graph) {
  return call(__func__, [&] {
    const GraphNode* node = find_node(handle);
    if (node == nullptr || !node->child || graph == nullptr) {
      return hipErrorInvalidValue;
    }
    *graph = handle_of(node->child);
    return hipSuccess;
  });
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t handle,
                                         hipMemAllocNodeParams* parameters) {
  return call(__func__, [&] {
    const GraphNode* node = find_node(handle);
    if (node == nullptr || parameters == nullptr) return hipErrorInvalidValue;
    return answer(*node, parameters);
  });
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t handle, void* address) {
  return call(__func__, [&] {
    const GraphNode* node = find_node(handle);
    if (node == nullptr || address == nullptr) return hipErrorInvalidValue;
    return answer_freed(*node, address);
  });
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t handle,
                                  unsigned is_enabled) {
  return call(__func__, [&] {
    GraphNode* node = find_node(exec, handle);
    if (node == nullptr) return hipErrorInvalidValue;
    node->is_enabled = is_enabled != 0;
    return hipSuccess;
  });
}
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t handle,
                                  unsigned* is_enabled) {
  return call(__func__, [&] {
    const GraphNode* node = find_node(exec, handle);
    if (node == nullptr || is_enabled == nullptr) return hipErrorInvalidValue;
    *is_enabled = node->is_enabled ? 1 : 0;
    return hipSuccess;
  });
}

}  // extern "C"
