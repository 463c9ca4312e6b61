// Events: marks in streams, and the time between them.
#include "device.h"
#include "devices.h"
#include "front.h"
#include "leaks.h"
#include "objects.h"
#include "pool.h"

using namespace eclosion::hip;
using eclosion::emulator::Event;
using eclosion::emulator::EventRef;
using eclosion::emulator::StreamRef;

namespace {

hipError_t create(hipEvent_t* handle, unsigned flags, const void* site) {
  constexpr unsigned kScopes = hipEventDisableSystemFence |
                               hipEventReleaseToDevice |
                               hipEventReleaseToSystem;
  constexpr unsigned kKinds =
      hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess;
  if (handle == nullptr || (flags & ~(kScopes | kKinds)) != 0) {
    return hipErrorInvalidValue;
  }
  // hip_runtime_api.h, hipEventInterprocess: "hipEventDisableTiming also must
  // be set."
  const bool is_shared = (flags & hipEventInterprocess) != 0;
  if (is_shared && (flags & hipEventDisableTiming) == 0) {
    return hipErrorInvalidValue;
  }
  *handle = events().add(
      std::make_shared<Event>(use_current_device(), flags & kKinds));
  eclosion::emulator::note_made(eclosion::emulator::Made::kEvent, *handle,
                                eclosion::emulator::current_device(), site);
  return hipSuccess;
}

hipError_t record(hipEvent_t handle, hipStream_t in, unsigned flags) {
  if (flags != hipEventRecordDefault && flags != hipEventRecordExternal) {
    return hipErrorInvalidValue;
  }
  const EventRef event = events().find(handle);
  const StreamRef stream = find_stream(in);
  if (event == nullptr) return hipErrorInvalidHandle;
  if (stream == nullptr) return invalid_stream();
  // kInvalidHandle: the event is of another device.
  return number(flags == hipEventRecordExternal
                    ? event->record_external(*stream)
                    : event->record(*stream));
}

}  // namespace

// The core's flags have the vendor's numbers.
static_assert(Event::kBlockingSync == hipEventBlockingSync);
static_assert(Event::kDisableTiming == hipEventDisableTiming);
static_assert(Event::kInterprocess == hipEventInterprocess);

extern "C" {

hipError_t hipEventCreate(hipEvent_t* event) {
  const void* const site = __builtin_return_address(0);
  return call(__func__, [&] { return create(event, hipEventDefault, site); });
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  const void* const site = __builtin_return_address(0);
  return call(__func__, [&] { return create(event, flags, site); });
}

hipError_t hipEventDestroy(hipEvent_t event) {
  return call(__func__, [&] {
    eclosion::emulator::note_gone(eclosion::emulator::Made::kEvent, event);
    return events().take(event) != nullptr ? hipSuccess : hipErrorInvalidHandle;
  });
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return call(__func__,
              [&] { return record(event, stream, hipEventRecordDefault); });
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream,
                                   unsigned flags) {
  return call(__func__, [&] { return record(event, stream, flags); });
}

hipError_t hipEventSynchronize(hipEvent_t handle) {
  return call(__func__, [&]() -> hipError_t {
    const EventRef event = events().find(handle);
    if (event == nullptr) return hipErrorInvalidHandle;
    const Status status = event->synchronize();
    if (status == Status::kSuccess) {
      eclosion::emulator::release_unused(event->device());
    }
    return number(status);
  });
}

hipError_t hipEventQuery(hipEvent_t handle) {
  return call(__func__, [&]() -> hipError_t {
    // From 7.0 on an error in a thread that captures globally (HIP
    // documentation, "HIP API 7.0 changes", "Check stream capture mode").
    if (release_is_at_least(7)) {
      const hipError_t status = check_not_capturing();
      if (status != hipSuccess) return status;
    }
    const EventRef event = events().find(handle);
    return event == nullptr ? hipErrorInvalidHandle : number(event->query());
  });
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start,
                               hipEvent_t stop) {
  return call(__func__, [&]() -> hipError_t {
    if (milliseconds == nullptr) return hipErrorInvalidValue;
    const EventRef first = events().find(start);
    const EventRef second = events().find(stop);
    if (first == nullptr || second == nullptr) return hipErrorInvalidHandle;
    return number(second->elapsed_since(*first, milliseconds));
  });
}

}  // extern "C"
