// Captures of streams into graphs, by the runtime's functions.
#include <vector>

#include "front.h"
#include "graphs.h"
#include "stream.h"

namespace eclosion::cuda {
namespace {

using emulator::CaptureMode;
using emulator::CaptureState;

bool read_mode(cudaStreamCaptureMode mode, CaptureMode* read) {
  switch (mode) {
    case cudaStreamCaptureModeGlobal:
      return *read = CaptureMode::kGlobal, true;
    case cudaStreamCaptureModeThreadLocal:
      return *read = CaptureMode::kThreadLocal, true;
    case cudaStreamCaptureModeRelaxed:
      return *read = CaptureMode::kRelaxed, true;
  }
  return false;
}

cudaStreamCaptureMode written(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::kGlobal:
      return cudaStreamCaptureModeGlobal;
    case CaptureMode::kThreadLocal:
      return cudaStreamCaptureModeThreadLocal;
    default:
      return cudaStreamCaptureModeRelaxed;
  }
}

cudaStreamCaptureStatus written(CaptureState state) {
  switch (state) {
    case CaptureState::kNone:
      return cudaStreamCaptureStatusNone;
    case CaptureState::kActive:
      return cudaStreamCaptureStatusActive;
    default:
      return cudaStreamCaptureStatusInvalidated;
  }
}

// What cudaStreamGetCaptureInfo gives out stays valid until the next call on
// the thread (cuda_runtime_api.h: until the stream's next operation).
thread_local std::vector<cudaGraphNode_t> listed;

void list_dependencies(const emulator::Stream& stream,
                       const cudaGraphNode_t** nodes, std::size_t* count) {
  listed.clear();
  for (GraphNode* node : stream.capture_dependencies()) {
    listed.push_back(node_handle(node));
  }
  if (nodes != nullptr) *nodes = listed.data();
  if (count != nullptr) *count = listed.size();
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

cudaError_t cudaStreamBeginCapture(cudaStream_t handle,
                                   cudaStreamCaptureMode mode) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    CaptureMode read{};
    if (!read_mode(mode, &read)) return Status::kInvalidValue;
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    return status != Status::kSuccess ? status : stream->begin_capture(read);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (graph == nullptr) return Status::kInvalidValue;
    *graph = nullptr;
    StreamRef stream;
    Status status = find_stream(handle, &stream);
    if (status != Status::kSuccess) return status;
    GraphRef made;
    status = stream->end_capture(&made);
    if (made) *graph = graph_handle(made);
    return status;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                  cudaStreamCaptureStatus* state) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (state == nullptr) return Status::kInvalidValue;
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    if (status == Status::kSuccess) *state = written(stream->capture_state());
    return status;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle,
                                     cudaStreamCaptureStatus* state,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** nodes,
                                     const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (state == nullptr) return Status::kInvalidValue;
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    if (status != Status::kSuccess) return status;
    *state = written(stream->capture_state());
    if (*state != cudaStreamCaptureStatusActive) return Status::kSuccess;
    if (id != nullptr) *id = stream->capture_id();
    if (graph != nullptr) *graph = graph_handle(stream->captured_graph());
    if (edges != nullptr) *edges = nullptr;  // all edges are plain ones
    list_dependencies(*stream, nodes, count);
    return Status::kSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(
    cudaStream_t handle, cudaGraphNode_t* nodes,
    const cudaGraphEdgeData* /*edges*/, size_t count, unsigned flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (flags > cudaStreamSetCaptureDependencies ||
        (nodes == nullptr && count != 0)) {
      return Status::kInvalidValue;
    }
    StreamRef stream;
    Status status = find_stream(handle, &stream);
    if (status != Status::kSuccess) return status;
    if (stream->capture_state() != CaptureState::kActive) {
      return Status::kIllegalState;
    }
    std::vector<GraphNode*> after(count);
    for (std::size_t i = 0; i < count; ++i) {
      status = find_node(nodes[i], &after[i]);
      if (status != Status::kSuccess) return status;
    }
    return stream->set_capture_dependencies(
        after, flags == cudaStreamAddCaptureDependencies);
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    CaptureMode read{};
    if (mode == nullptr || !read_mode(*mode, &read)) {
      return Status::kInvalidValue;
    }
    *mode = written(emulator::exchange_capture_mode(read));
    return Status::kSuccess;
  });
}
