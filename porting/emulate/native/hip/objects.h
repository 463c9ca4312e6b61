// The handles that programs hold, and the core's objects behind them.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "handles.h"
#include "stream.h"

namespace eclosion::hip {

// A stream that the program made.
struct OwnedStream {
  emulator::StreamRef stream;
  std::vector<std::uint32_t> units;  // compute units it is limited to, as bits
};

emulator::Handles<hipStream_t, OwnedStream>& streams();
emulator::Handles<hipEvent_t, emulator::Event>& events();

// The stream of a handle: null and hipStreamLegacy are the current device's,
// hipStreamPerThread the thread's. Null: no such stream.
emulator::StreamRef find_stream(hipStream_t handle);

// Put work into a stream. hipErrorInvalidHandle: no such stream.
hipError_t put(hipStream_t handle, emulator::Work work);

}  // namespace eclosion::hip
