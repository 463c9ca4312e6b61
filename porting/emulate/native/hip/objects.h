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

// What a call says of a stream that there is not. Up to 6.x it is
// hipErrorContextIsDestroyed; from 7.0 on streams are not checked, and the
// vendor's runtime crashes, as CUDA's does (HIP documentation, "HIP API 7.0
// changes", "Invalid stream input parameter handling"): the emulator says
// hipErrorInvalidHandle.
hipError_t invalid_stream();

}  // namespace eclosion::hip
