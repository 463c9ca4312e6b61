// Captures of streams into graphs.
#include "front.h"
#include "graph_objects.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

using emulator::CaptureMode;
using emulator::CaptureState;
using emulator::GraphNode;
using emulator::StreamRef;

struct ModeRow {
  hipStreamCaptureMode mode;
  CaptureMode core;
};

constexpr ModeRow kModes[] = {
    {hipStreamCaptureModeGlobal, CaptureMode::kGlobal},
    {hipStreamCaptureModeThreadLocal, CaptureMode::kThreadLocal},
    {hipStreamCaptureModeRelaxed, CaptureMode::kRelaxed},
};

const ModeRow* find_mode(hipStreamCaptureMode mode) {
  for (const ModeRow& row : kModes) {
    if (row.mode == mode) return &row;
  }
  return nullptr;
}

hipStreamCaptureMode mode_of(CaptureMode mode) {
  for (const ModeRow& row : kModes) {
    if (row.core == mode) return row.mode;
  }
  return hipStreamCaptureModeGlobal;
}

hipStreamCaptureStatus status_of(CaptureState state) {
  switch (state) {
    case CaptureState::kActive:
      return hipStreamCaptureStatusActive;
    case CaptureState::kInvalidated:
      return hipStreamCaptureStatusInvalidated;
    default:
      return hipStreamCaptureStatusNone;
  }
}

// What hipStreamGetCaptureInfo_v2 gives lives until the thread asks again.
thread_local std::vector<hipGraphNode_t> last_dependencies;

hipError_t tell_dependencies(const StreamRef& stream, hipGraph_t* graph,
                             const hipGraphNode_t** nodes, std::size_t* count) {
  const auto captured = stream->captured_graph();
  if (graph != nullptr) *graph = captured ? handle_of(captured) : nullptr;
  last_dependencies.clear();
  for (GraphNode* node : stream->capture_dependencies()) {
    last_dependencies.push_back(handle_of(node));
  }
  if (nodes != nullptr) *nodes = last_dependencies.data();
  if (count != nullptr) *count = last_dependencies.size();
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::CaptureState;
using eclosion::emulator::GraphRef;
using eclosion::emulator::Status;
using eclosion::emulator::StreamRef;

extern "C" {

hipError_t hipStreamBeginCapture(hipStream_t handle,
                                 hipStreamCaptureMode mode) {
  return call(__func__, [&]() -> hipError_t {
    const ModeRow* row = find_mode(mode);
    const StreamRef stream = find_stream(handle);
    if (row == nullptr) return hipErrorInvalidValue;
    if (stream == nullptr) return invalid_stream();
    return number(stream->begin_capture(row->core));
  });
}

hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t* graph) {
  return call(__func__, [&]() -> hipError_t {
    if (graph == nullptr) return hipErrorInvalidValue;
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    GraphRef made;
    const Status status = stream->end_capture(&made);
    *graph = status == Status::kSuccess ? handle_of(made) : nullptr;
    return number(status);
  });
}

hipError_t hipStreamIsCapturing(hipStream_t handle,
                                hipStreamCaptureStatus* status) {
  return call(__func__, [&] {
    if (status == nullptr) return hipErrorInvalidValue;
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    *status = status_of(stream->capture_state());
    return hipSuccess;
  });
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t handle,
                                      hipStreamCaptureStatus* status,
                                      unsigned long long* id, hipGraph_t* graph,
                                      const hipGraphNode_t** nodes,
                                      std::size_t* count) {
  return call(__func__, [&] {
    if (status == nullptr) return hipErrorInvalidValue;
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    *status = status_of(stream->capture_state());
    if (*status != hipStreamCaptureStatusActive) return hipSuccess;
    if (id != nullptr) *id = stream->capture_id();
    return tell_dependencies(stream, graph, nodes, count);
  });
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream,
                                   hipStreamCaptureStatus* status,
                                   unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr,
                                    nullptr);
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle,
                                              hipGraphNode_t* handles,
                                              std::size_t count,
                                              unsigned flags) {
  return call(__func__, [&]() -> hipError_t {
    if (flags > hipStreamSetCaptureDependencies) return hipErrorInvalidValue;
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    if (stream->capture_state() == CaptureState::kNone) {
      return hipErrorIllegalState;
    }
    std::vector<eclosion::emulator::GraphNode*> nodes;
    const hipError_t status = find_nodes(handles, count, &nodes);
    if (status != hipSuccess) return status;
    return number(stream->set_capture_dependencies(
        nodes, flags == hipStreamAddCaptureDependencies));
  });
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return call(__func__, [&] {
    const ModeRow* row = mode == nullptr ? nullptr : find_mode(*mode);
    if (row == nullptr) return hipErrorInvalidValue;
    *mode = mode_of(eclosion::emulator::exchange_capture_mode(row->core));
    return hipSuccess;
  });
}

}  // extern "C"
