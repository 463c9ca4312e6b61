// What every function of the front does: injected faults, initialisation, the
// status as the vendor's number, the error state of the thread.
#pragma once

#include <hip/hip_runtime_api.h>

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "injection.h"
#include "status.h"

namespace eclosion::hip {

using emulator::Status;

// The vendor's number of a status; see the table in errors.cpp.
hipError_t number(Status status);
inline hipError_t number(hipError_t error) { return error; }
// None: no status has the number.
std::optional<Status> status_of(int number);

// Keep what a call returns, as the release does, and give it back.
hipError_t remember(hipError_t error);

// Initialise at the first call. hipErrorNoDevice without devices;
// hipErrorNotInitialized in a child that was forked after initialisation, since
// the threads that run operations are not in it.
hipError_t begin();

// kCaptureUnsupported, and the capture is invalid, where the thread captures.
hipError_t check_not_capturing();

// Whether the emulated release is this one or newer.
bool release_is_at_least(int major, int minor = 0);

// No exception leaves a C function.
template <typename Body>
hipError_t guarded(Body body) noexcept {
  try {
    return number(body());
  } catch (const std::bad_alloc&) {
    return hipErrorOutOfMemory;
  } catch (const std::exception&) {
    return hipErrorUnknown;
  }
}

// Run the body of a vendor's function, which returns hipError_t or Status.
template <typename Body>
hipError_t call(const char* function, Body body) {
  if (const auto code = emulator::injected(function)) {
    return remember(static_cast<hipError_t>(*code));
  }
  const hipError_t ready = begin();
  return remember(ready != hipSuccess ? ready : guarded(body));
}

// The same for what waits or allocates, and is forbidden to a thread that
// captures a stream globally.
template <typename Body>
hipError_t call_outside_capture(const char* function, Body body) {
  return call(function, [&]() -> hipError_t {
    const hipError_t status = check_not_capturing();
    return status != hipSuccess ? status : number(body());
  });
}

// The same for what older releases allow while capturing: from 7.0 on (HIP
// documentation, "HIP API 7.0 changes", "Stream capture updates").
template <typename Body>
hipError_t call_outside_capture_since_7(const char* function, Body body) {
  return release_is_at_least(7) ? call_outside_capture(function, body)
                                : call(function, body);
}

bool is_device(int device);

// End the process as the vendor's runtime does after a device fault,
// before 7.0.
[[noreturn]] void end_process(Status fault, int device, const char* kernel);

}  // namespace eclosion::hip
