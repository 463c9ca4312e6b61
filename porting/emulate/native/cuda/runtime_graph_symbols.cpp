// Nodes of graphs that copy variables or in a line, and those of events, by the
// runtime's functions.
#include "device.h"
#include "front.h"
#include "graph_parameters.h"
#include "program.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::NodeKind;
using emulator::Work;

namespace {

// kInvalidValue: more than the variable has from the offset on.
Status find_part(const void* symbol, std::size_t size, std::size_t offset,
                 void** address) {
  std::size_t whole = 0;
  const Status status = emulator::Program::get().variable(
      symbol, emulator::current_device(), address, &whole);
  if (status != Status::kSuccess) return status;
  if (offset > whole || size > whole - offset) return Status::kInvalidValue;
  *address = static_cast<unsigned char*>(*address) + offset;
  return Status::kSuccess;
}

RuntimeResult add_copy(const NodePlace& place, const Copy& copy,
                       cudaGraphNode_t* node) {
  Work work;
  const Status status = plan_node(copy, &work);
  return status != Status::kSuccess ? status
                                    : add_node(place, std::move(work), node);
}

cudaError_t get_event(const char* function, cudaGraphNode_t handle,
                      NodeKind kind, cudaEvent_t* event) {
  return runtime_call(function, kDriver, [&]() -> RuntimeResult {
    if (event == nullptr) return Status::kInvalidValue;
    GraphNode* node = nullptr;
    const Status status = find_node(handle, kind, &node);
    if (status != Status::kSuccess) return status;
    const auto* const kept = std::any_cast<CUevent>(&node->parameters);
    if (kept == nullptr) return Status::kInvalidValue;
    *event = *kept;
    return Status::kSuccess;
  });
}

cudaError_t set_event(const char* function, cudaGraphNode_t handle,
                      NodeKind kind, cudaEvent_t event) {
  return runtime_call(function, kDriver, [&]() -> RuntimeResult {
    GraphNode* node = nullptr;
    EventRef found;
    Status status = find_node(handle, kind, &node);
    if (status == Status::kSuccess) status = find_event(event, &found);
    if (status != Status::kSuccess) return status;
    node->event = found;
    node->parameters = event;
    return Status::kSuccess;
  });
}

}  // namespace

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node,
                                           cudaGraph_t graph,
                                           const cudaGraphNode_t* after,
                                           size_t count, const void* symbol,
                                           const void* from, size_t size,
                                           size_t offset, cudaMemcpyKind kind) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    void* to = nullptr;
    const Status status = find_part(symbol, size, offset, &to);
    if (status != Status::kSuccess) return status;
    return add_copy({graph, after, count}, linear_copy(to, from, size, kind),
                    node);
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
    size_t count, void* to, const void* symbol, size_t size, size_t offset,
    cudaMemcpyKind kind) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    void* from = nullptr;
    const Status status = find_part(symbol, size, offset, &from);
    if (status != Status::kSuccess) return status;
    return add_copy({graph, after, count}, linear_copy(to, from, size, kind),
                    node);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t handle, void* to,
                                           const void* from, size_t size,
                                           cudaMemcpyKind kind) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    GraphNode* node = nullptr;
    Work work;
    Status status = find_node(handle, &node);
    if (status == Status::kSuccess) {
      status = plan_node(linear_copy(to, from, size, kind), &work);
    }
    return status != Status::kSuccess ? status : replace(node, std::move(work));
  });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                             cudaEvent_t* event) {
  return get_event(__func__, node, NodeKind::kEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
                                           cudaEvent_t* event) {
  return get_event(__func__, node, NodeKind::kEventWait, event);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
                                             cudaEvent_t event) {
  return set_event(__func__, node, NodeKind::kEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node,
                                           cudaEvent_t event) {
  return set_event(__func__, node, NodeKind::kEventWait, event);
}
