// Streams, events, and what is recorded of them.
#include <algorithm>
#include <chrono>

#include "state.h"

namespace {

double now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

hipError_t spoil(Capture* capture, hipError_t status) {
  capture->is_spoiled = true;
  return status;
}

// A stream waits for an event of a recording: it is part of that from then on.
hipError_t join(hipStream_t stream, hipEvent_t event, Capture* capture) {
  if (stream->capture != nullptr && stream->capture != capture) {
    return spoil(capture, hipErrorStreamCaptureMerge);
  }
  if (stream->capture == nullptr) {
    stream->capture = capture;
    capture->numbers.insert({stream, 0});
    capture->apart.insert(stream);
  }
  if (capture->numbers.at(event->stream) == event->number &&
      event->stream != stream) {
    capture->apart.erase(event->stream);
  }
  return hipSuccess;
}

}  // namespace

hipError_t put(hipStream_t stream, Work work) {
  const std::lock_guard held(state().lock);
  if (stream->device != current()) return hipErrorInvalidHandle;
  use();
  Capture* capture = stream->capture;
  if (capture == nullptr) {
    work();
    return hipSuccess;
  }
  if (capture->is_spoiled) return hipErrorStreamCaptureInvalidated;
  capture->work.push_back(std::move(work));
  ++capture->numbers[stream];
  if (stream != capture->origin) capture->apart.insert(stream);
  return hipSuccess;
}

hipError_t waitable(hipStream_t stream) {
  const std::lock_guard held(state().lock);
  if (stream->capture == nullptr) return hipSuccess;
  return spoil(stream->capture, hipErrorStreamCaptureUnsupported);
}

extern "C" {

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned, int) {
  const std::lock_guard held(state().lock);
  use();
  *stream = new ihipStream_t{current()};
  return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  delete stream;
  return hipSuccess;
}
hipError_t hipStreamSynchronize(hipStream_t stream) { return waitable(stream); }
hipError_t hipStreamQuery(hipStream_t stream) { return waitable(stream); }
hipError_t hipStreamIsCapturing(hipStream_t stream,
                                hipStreamCaptureStatus* status) {
  *status = stream->capture == nullptr ? hipStreamCaptureStatusNone
                                       : hipStreamCaptureStatusActive;
  return hipSuccess;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  const std::lock_guard held(state().lock);
  if (stream->device != current()) return hipErrorInvalidHandle;
  Capture* own = stream->capture;
  if (event->is_captured) {
    Capture* capture = event->stream->capture;
    if (capture != nullptr && capture->id == event->recording) {
      return join(stream, event, capture);
    }
    return hipErrorCapturedEvent;
  }
  return own == nullptr ? hipSuccess
                        : spoil(own, hipErrorStreamCaptureIsolation);
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  const std::lock_guard held(state().lock);
  use();
  *event = new ihipEvent_t{current(), flags};
  return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t event) {
  delete event;
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  const std::lock_guard held(state().lock);
  if (stream->device != current() || event->device != stream->device) {
    return hipErrorInvalidHandle;
  }
  Capture* capture = stream->capture;
  event->is_captured = capture != nullptr;
  if (capture != nullptr) {
    event->recording = capture->id;
    event->stream = stream;
    event->number = capture->numbers.at(stream);
    return hipSuccess;
  }
  event->is_recorded = true;
  event->time = now_ms();
  return hipSuccess;
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  return event->is_captured ? hipErrorCapturedEvent : hipSuccess;
}
hipError_t hipEventQuery(hipEvent_t event) {
  return hipEventSynchronize(event);
}
hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t end) {
  const unsigned flags = start->flags | end->flags;
  const bool is_timed = (flags & hipEventDisableTiming) == 0;
  if (!is_timed || !start->is_recorded || !end->is_recorded) {
    return hipErrorInvalidHandle;
  }
  *ms = static_cast<float>(end->time - start->time);
  return hipSuccess;
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  const std::lock_guard held(state().lock);
  if (stream->device != current()) return hipErrorInvalidHandle;
  if (stream->capture != nullptr) return hipErrorIllegalState;
  auto* capture = new Capture{++state().recordings, stream};
  capture->numbers.insert({stream, 0});
  stream->capture = capture;
  return hipSuccess;
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  const std::lock_guard held(state().lock);
  *graph = nullptr;
  if (stream->capture == nullptr) return hipErrorIllegalState;
  const std::unique_ptr<Capture> capture(stream->capture);
  for (const auto& [each, number] : capture->numbers) each->capture = nullptr;
  if (capture->is_spoiled) return hipErrorStreamCaptureInvalidated;
  if (!capture->apart.empty()) return hipErrorStreamCaptureUnjoined;
  *graph = new ihipGraph{std::move(capture->work)};
  return hipSuccess;
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph,
                                        unsigned long long) {
  *exec = new hipGraphExec{graph->work};
  return hipSuccess;
}
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return put(stream, [work = exec->work] {
    for (const Work& each : work) each();
  });
}
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t*,
                            std::size_t* count) {
  *count = graph->work.size();
  return hipSuccess;
}
hipError_t hipGraphDestroy(hipGraph_t graph) {
  delete graph;
  return hipSuccess;
}
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  delete exec;
  return hipSuccess;
}

}  // extern "C"
