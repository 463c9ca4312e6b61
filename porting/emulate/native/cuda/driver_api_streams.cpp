// Streams and their captures by the driver's functions.
#include <vector>

#include "front.h"
#include "graphs.h"
#include "streaming.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::CaptureMode;
using emulator::CaptureState;
using emulator::Stream;

namespace {

static_assert(static_cast<int>(CaptureMode::kGlobal) ==
              CU_STREAM_CAPTURE_MODE_GLOBAL);
static_assert(static_cast<int>(CaptureMode::kThreadLocal) ==
              CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(static_cast<int>(CaptureMode::kRelaxed) ==
              CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(static_cast<int>(CaptureState::kActive) ==
              CU_STREAM_CAPTURE_STATUS_ACTIVE);
static_assert(static_cast<int>(CaptureState::kInvalidated) ==
              CU_STREAM_CAPTURE_STATUS_INVALIDATED);

bool is_mode(CUstreamCaptureMode mode) {
  return mode <= CU_STREAM_CAPTURE_MODE_RELAXED;
}

// One question about a stream.
template <typename Value, typename Read>
CUresult ask(const char* function, CUstream handle, Value* value, Read&& read) {
  return driver_call(function, kContext, [&]() -> DriverResult {
    if (value == nullptr) return Status::kInvalidValue;
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    if (status == Status::kSuccess) *value = read(*stream);
    return status;
  });
}

struct Callback {
  CUstreamCallback function;
  void* data;
};

void run_callback(CUstream stream, Status status, void* held) {
  const Callback callback = *static_cast<Callback*>(held);
  delete static_cast<Callback*>(held);
  callback.function(stream, driver_code(status), callback.data);
}

// Valid until the thread asks again.
thread_local std::vector<CUgraphNode> listed;

}  // namespace

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return create_stream(flags, kLeastPriority, site, stream);
  });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags,
                                    int priority) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return create_stream(flags, priority, site, stream);
  });
}

CUresult cuStreamDestroy(CUstream stream) {
  return driver_call(__func__, kContext,
                     [&]() -> DriverResult { return destroy_stream(stream); });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    return synchronize_stream(stream);
  });
}

CUresult cuStreamQuery(CUstream stream) {
  return driver_call(__func__, kContext | kNoCapture,
                     [&]() -> DriverResult { return query_stream(stream); });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return wait_event(stream, event, flags);
  });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function,
                             void* data, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (function == nullptr || flags != 0) return Status::kInvalidValue;
    auto* const held = new Callback{function, data};
    const Status status = add_callback(stream, run_callback, held, site);
    if (status != Status::kSuccess) delete held;
    return status;
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return launch_host(stream, function, data, site);
  });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return ask(__func__, stream, priority,
             [](const Stream& s) { return s.priority(); });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return ask(__func__, stream, flags,
             [](const Stream& s) { return s.flags(); });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return ask(__func__, stream, id, [](const Stream& s) { return s.id(); });
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return ask(__func__, stream, device,
             [](const Stream& s) { return s.device(); });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return ask(__func__, stream, context, [](const Stream& s) {
    const ContextRef current = current_context();
    return current->device == s.device() ? current->handle
                                         : primary_context(s.device())->handle;
  });
}

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (!is_mode(mode)) return Status::kInvalidValue;
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    return status != Status::kSuccess
               ? status
               : stream->begin_capture(static_cast<CaptureMode>(mode));
  });
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
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

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* state) {
  return ask(__func__, stream, state, [](const Stream& s) {
    return static_cast<CUstreamCaptureStatus>(s.capture_state());
  });
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* state,
                                cuuint64_t* id, CUgraph* graph,
                                const CUgraphNode** nodes,
                                const CUgraphEdgeData** edges, size_t* count) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (state == nullptr) return Status::kInvalidValue;
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    if (status != Status::kSuccess) return status;
    *state = static_cast<CUstreamCaptureStatus>(stream->capture_state());
    if (*state != CU_STREAM_CAPTURE_STATUS_ACTIVE) return Status::kSuccess;
    if (id != nullptr) *id = stream->capture_id();
    if (graph != nullptr) *graph = graph_handle(stream->captured_graph());
    if (edges != nullptr) *edges = nullptr;  // all edges are plain ones
    listed.clear();
    for (GraphNode* node : stream->capture_dependencies()) {
      listed.push_back(node_handle(node));
    }
    if (nodes != nullptr) *nodes = listed.data();
    if (count != nullptr) *count = listed.size();
    return Status::kSuccess;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (mode == nullptr || !is_mode(*mode)) return Status::kInvalidValue;
    *mode = static_cast<CUstreamCaptureMode>(
        emulator::exchange_capture_mode(static_cast<CaptureMode>(*mode)));
    return Status::kSuccess;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return create_event(flags, site, event);
  });
}

CUresult cuEventDestroy(CUevent event) {
  return driver_call(__func__, kContext,
                     [&]() -> DriverResult { return destroy_event(event); });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return record_event(event, stream, CU_EVENT_RECORD_DEFAULT);
  });
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream,
                                unsigned flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return record_event(event, stream, flags);
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    return synchronize_event(event);
  });
}

CUresult cuEventQuery(CUevent event) {
  return driver_call(__func__, kContext | kNoCapture,
                     [&]() -> DriverResult { return query_event(event); });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return elapsed_time(begin, end, milliseconds);
  });
}
