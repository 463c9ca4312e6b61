// Checks of flags and handles, then the core's streams and events.
#include "streaming.h"

#include <algorithm>

#include "device.h"
#include "leaks.h"
#include "pool.h"

namespace eclosion::cuda {
namespace {

using emulator::Event;
using emulator::Stream;

constexpr unsigned kEventFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
static_assert(Event::kBlockingSync == CU_EVENT_BLOCKING_SYNC);
static_assert(Event::kDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(Event::kInterprocess == CU_EVENT_INTERPROCESS);
static_assert(Stream::kNonBlocking == CU_STREAM_NON_BLOCKING);

Status find_both(CUevent event_handle, CUstream stream_handle, EventRef* event,
                 StreamRef* stream) {
  const Status status = find_event(event_handle, event);
  if (status != Status::kSuccess) return status;
  return find_stream(stream_handle, stream);
}

// Pools fall to their thresholds when a program synchronises (cuda.h,
// CU_MEMPOOL_ATTR_RELEASE_THRESHOLD).
Status synchronized(Status status, int device) {
  if (status == Status::kSuccess) emulator::release_unused(device);
  return status;
}

}  // namespace

Status synchronize_device(int device) {
  return synchronized(emulator::synchronize_device(device), device);
}

Status create_stream(unsigned flags, int priority, const void* site,
                     CUstream* stream) {
  if (stream == nullptr || (flags & ~CU_STREAM_NON_BLOCKING) != 0) {
    return Status::kInvalidValue;
  }
  const int clamped = std::clamp(priority, kGreatestPriority, kLeastPriority);
  *stream = add_stream(
      std::make_shared<Stream>(emulator::current_device(), flags, clamped));
  emulator::note_made(emulator::Made::kStream, *stream,
                      emulator::current_device(), site);
  return Status::kSuccess;
}

Status destroy_stream(CUstream handle) {
  if (is_default_stream(handle)) return Status::kInvalidHandle;
  StreamRef stream;
  return take_stream(handle, &stream);
}

Status synchronize_stream(CUstream handle) {
  StreamRef stream;
  const Status status = find_stream(handle, &stream);
  return status != Status::kSuccess
             ? status
             : synchronized(stream->synchronize(), stream->device());
}

Status query_stream(CUstream handle) {
  StreamRef stream;
  const Status status = find_stream(handle, &stream);
  return status != Status::kSuccess ? status : stream->query();
}

Status create_event(unsigned flags, const void* site, CUevent* event) {
  const bool is_shared = (flags & CU_EVENT_INTERPROCESS) != 0;
  const bool has_time = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  if (event == nullptr || (flags & ~kEventFlags) != 0 ||
      (is_shared && has_time)) {
    return Status::kInvalidValue;
  }
  *event =
      add_event(std::make_shared<Event>(emulator::current_device(), flags));
  emulator::note_made(emulator::Made::kEvent, *event,
                      emulator::current_device(), site);
  return Status::kSuccess;
}

Status destroy_event(CUevent handle) {
  EventRef event;
  return take_event(handle, &event);
}

Status record_event(CUevent event_handle, CUstream stream_handle,
                    unsigned flags) {
  if ((flags & ~CU_EVENT_RECORD_EXTERNAL) != 0) return Status::kInvalidValue;
  EventRef event;
  StreamRef stream;
  const Status status = find_both(event_handle, stream_handle, &event, &stream);
  if (status != Status::kSuccess) return status;
  return flags == CU_EVENT_RECORD_EXTERNAL ? event->record_external(*stream)
                                           : event->record(*stream);
}

Status wait_event(CUstream stream_handle, CUevent event_handle,
                  unsigned flags) {
  if ((flags & ~CU_EVENT_WAIT_EXTERNAL) != 0) return Status::kInvalidValue;
  EventRef event;
  StreamRef stream;
  const Status status = find_both(event_handle, stream_handle, &event, &stream);
  if (status != Status::kSuccess) return status;
  return flags == CU_EVENT_WAIT_EXTERNAL ? stream->wait_external(event)
                                         : stream->wait(event);
}

Status synchronize_event(CUevent handle) {
  EventRef event;
  const Status status = find_event(handle, &event);
  return status != Status::kSuccess
             ? status
             : synchronized(event->synchronize(), event->device());
}

Status query_event(CUevent handle) {
  EventRef event;
  const Status status = find_event(handle, &event);
  return status != Status::kSuccess ? status : event->query();
}

Status elapsed_time(CUevent begin_handle, CUevent end_handle,
                    float* milliseconds) {
  if (milliseconds == nullptr) return Status::kInvalidValue;
  EventRef begin;
  EventRef end;
  Status status = find_event(begin_handle, &begin);
  if (status == Status::kSuccess) status = find_event(end_handle, &end);
  if (status != Status::kSuccess) return status;
  // CUDA C++ Programming Guide, "Stream and Event Behavior".
  if (begin->device() != end->device()) return Status::kInvalidHandle;
  return end->elapsed_since(*begin, milliseconds);
}

Status launch_host(CUstream handle, CUhostFn function, void* data,
                   const void* site) {
  if (function == nullptr) return Status::kInvalidValue;
  StreamRef stream;
  const Status status = find_stream(handle, &stream);
  if (status != Status::kSuccess) return status;
  return stream->put_host(
      {"function of the host", site},
      [function, data](Status) { function(data); }, false,
      HostNode{function, data});
}

Status add_callback(CUstream handle, void (*callback)(CUstream, Status, void*),
                    void* data, const void* site) {
  if (callback == nullptr) return Status::kInvalidValue;
  StreamRef stream;
  const Status status = find_stream(handle, &stream);
  if (status != Status::kSuccess) return status;
  if (stream->capture_state() != emulator::CaptureState::kNone) {
    return Status::kCaptureUnsupported;
  }
  return stream->put_host(
      {"callback of the host", site},
      [callback, handle, data](Status result) {
        callback(handle, result, data);
      },
      true);
}

}  // namespace eclosion::cuda
