// Instantiated graphs: made, launched, updated as a whole.
#include "device.h"
#include "devices.h"
#include "front.h"
#include "graph_objects.h"
#include "graph_parameters.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

using emulator::GraphDifference;
using emulator::GraphExec;
using emulator::GraphExecRef;
using emulator::GraphRef;

constexpr unsigned long long kFlags = hipGraphInstantiateFlagAutoFreeOnLaunch |
                                      hipGraphInstantiateFlagUpload |
                                      hipGraphInstantiateFlagDeviceLaunch |
                                      hipGraphInstantiateFlagUseNodePriority;

void add_memory(const emulator::Graph& graph, emulator::GraphMemoryUse* use) {
  for (const auto& node : graph.nodes()) {
    hipMemAllocNodeParams allocated;
    void* freed = nullptr;
    if (answer(*node, &allocated) == hipSuccess) {
      use->allocated.push_back(allocated.dptr);
    } else if (answer_freed(*node, &freed) == hipSuccess) {
      use->freed.push_back(freed);
    } else if (node->child) {
      add_memory(*node->child, use);
    }
  }
}

// What a launch does with memory is checked before it begins.
hipError_t launch(const Executable& executable, emulator::Stream& stream,
                  const void* site) {
  const emulator::GraphMemoryUse& use = executable.memory;
  const bool is_captured =
      stream.capture_state() != emulator::CaptureState::kNone;
  if (!is_captured && !(use.allocated.empty() && use.freed.empty())) {
    const Status status = emulator::prepare_launch(stream, use, site);
    if (status != Status::kSuccess) return number(status);
  }
  return number(executable.exec->launch(stream, site));
}

hipError_t instantiate(hipGraphExec_t* made, hipGraph_t handle,
                       unsigned long long flags) {
  const GraphRef graph = graphs().find(handle);
  if (made == nullptr || graph == nullptr || (flags & ~kFlags) != 0) {
    return hipErrorInvalidValue;
  }
  use_current_device();
  GraphExecRef exec;
  const hipError_t status = number(GraphExec::instantiate(*graph, &exec));
  if (status != hipSuccess) return status;
  Executable executable{std::move(exec), flags};
  add_memory(*graph, &executable.memory);
  executable.memory.frees_left =
      (flags & hipGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  executable.kept = kept_by(graph.get());
  *made =
      executables().add(std::make_shared<Executable>(std::move(executable)));
  return hipSuccess;
}

hipGraphExecUpdateResult result_of(GraphDifference difference) {
  switch (difference) {
    case GraphDifference::kNone:
      return hipGraphExecUpdateSuccess;
    case GraphDifference::kNodeKind:
      return hipGraphExecUpdateErrorNodeTypeChanged;
    case GraphDifference::kDevice:
      return hipGraphExecUpdateErrorNotSupported;
    default:
      return hipGraphExecUpdateErrorTopologyChanged;
  }
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::GraphDifference;
using eclosion::emulator::GraphNode;
using eclosion::emulator::GraphRef;
using eclosion::emulator::Status;
using eclosion::emulator::StreamRef;

extern "C" {

hipError_t hipGraphInstantiate(hipGraphExec_t* made, hipGraph_t graph,
                               hipGraphNode_t* /*wrong*/, char* /*log*/,
                               std::size_t /*size*/) {
  return call(__func__, [&] { return instantiate(made, graph, 0); });
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* made, hipGraph_t graph,
                                        unsigned long long flags) {
  return call(__func__, [&] { return instantiate(made, graph, flags); });
}

hipError_t hipGraphInstantiateWithParams(
    hipGraphExec_t* made, hipGraph_t graph,
    hipGraphInstantiateParams* parameters) {
  return call(__func__, [&]() -> hipError_t {
    if (parameters == nullptr) return hipErrorInvalidValue;
    const hipError_t status = instantiate(made, graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out = status == hipSuccess ? hipGraphInstantiateSuccess
                                                  : hipGraphInstantiateError;
    return status;
  });
}

// Launches may still run, and what they keep lives until they are done.
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  return call(__func__, [&] {
    const auto taken = executables().take(exec);
    if (taken == nullptr) return hipErrorInvalidValue;
    if (!taken->kept.empty()) {
      (void)eclosion::emulator::synchronize_device(
          eclosion::emulator::current_device());
    }
    return hipSuccess;
  });
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec,
                                unsigned long long* flags) {
  return call(__func__, [&] {
    const auto found = executables().find(exec);
    if (found == nullptr || flags == nullptr) return hipErrorInvalidValue;
    *flags = found->flags;
    return hipSuccess;
  });
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t handle) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    const auto found = executables().find(exec);
    if (found == nullptr) return hipErrorInvalidValue;
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    return launch(*found, *stream, site);
  });
}

// Nothing has to be brought to the device before a launch.
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  return call(__func__, [&] {
    if (executables().find(exec) == nullptr) return hipErrorInvalidValue;
    return find_stream(stream) == nullptr ? invalid_stream() : hipSuccess;
  });
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t handle,
                              hipGraphNode_t* wrong,
                              hipGraphExecUpdateResult* result) {
  return call(__func__, [&]() -> hipError_t {
    const auto found = executables().find(exec);
    const GraphRef graph = graphs().find(handle);
    if (found == nullptr || graph == nullptr || wrong == nullptr ||
        result == nullptr) {
      return hipErrorInvalidValue;
    }
    GraphDifference difference = GraphDifference::kNone;
    const GraphNode* at = nullptr;
    const Status status = found->exec->update(*graph, &difference, &at);
    *wrong = handle_of(const_cast<GraphNode*>(at));
    *result = result_of(difference);
    return number(status);
  });
}

}  // extern "C"
