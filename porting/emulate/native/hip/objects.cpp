// The registries of handles, and how a stream's handle is read.
#include "objects.h"

#include "device.h"
#include "front.h"

namespace eclosion::hip {

using emulator::Stream;
using emulator::StreamRef;

emulator::Handles<hipStream_t, OwnedStream>& streams() {
  static auto* all = new emulator::Handles<hipStream_t, OwnedStream>;
  return *all;
}

emulator::Handles<hipEvent_t, emulator::Event>& events() {
  static auto* all = new emulator::Handles<hipEvent_t, emulator::Event>;
  return *all;
}

StreamRef find_stream(hipStream_t handle) {
  const int device = emulator::current_device();
  if (handle == nullptr || handle == hipStreamLegacy) {
    return Stream::legacy(device);
  }
  if (handle == hipStreamPerThread) return Stream::per_thread(device);
  const auto owned = streams().find(handle);
  return owned == nullptr ? nullptr : owned->stream;
}

hipError_t invalid_stream() {
  return release_is_at_least(7) ? hipErrorInvalidHandle
                                : hipErrorContextIsDestroyed;
}

}  // namespace eclosion::hip
