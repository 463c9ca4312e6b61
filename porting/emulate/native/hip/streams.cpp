// Streams: made, asked, waited for; functions of the host in them.
#include "device.h"
#include "devices.h"
#include "front.h"
#include "leaks.h"
#include "objects.h"
#include "pool.h"

using namespace eclosion::hip;
using eclosion::emulator::CaptureState;
using eclosion::emulator::Status;
using eclosion::emulator::Stream;
using eclosion::emulator::StreamRef;

namespace {

// ROCm's runtime has three priorities (clr, hipamd/src/hip_internal.hpp,
// Stream::Priority); others are brought into this range.
constexpr int kLowest = 1;
constexpr int kHighest = -1;

int clamped(int priority) {
  if (priority < kHighest) return kHighest;
  return priority > kLowest ? kLowest : priority;
}

hipError_t create(hipStream_t* handle, unsigned flags, int priority,
                  std::vector<std::uint32_t> units, const void* site) {
  if (handle == nullptr) return hipErrorInvalidValue;
  if (flags != hipStreamDefault && flags != hipStreamNonBlocking) {
    return hipErrorInvalidValue;
  }
  auto stream =
      std::make_shared<Stream>(use_current_device(), flags, clamped(priority));
  *handle = streams().add(std::make_shared<OwnedStream>(
      OwnedStream{std::move(stream), std::move(units)}));
  eclosion::emulator::note_made(eclosion::emulator::Made::kStream, *handle,
                                eclosion::emulator::current_device(), site);
  return hipSuccess;
}

// Ask something of a stream, which `to` is for.
template <typename T, typename Ask>
hipError_t ask(hipStream_t handle, T* to, Ask answer) {
  if (to == nullptr) return hipErrorInvalidValue;
  const StreamRef stream = find_stream(handle);
  if (stream == nullptr) return invalid_stream();
  *to = answer(*stream);
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
  const void* const site = __builtin_return_address(0);
  return call(__func__,
              [&] { return create(stream, hipStreamDefault, 0, {}, site); });
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  const void* const site = __builtin_return_address(0);
  return call(__func__, [&] { return create(stream, flags, 0, {}, site); });
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags,
                                       int priority) {
  const void* const site = __builtin_return_address(0);
  return call(__func__,
              [&] { return create(stream, flags, priority, {}, site); });
}

// The mask is kept and told; every block may run on every worker.
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream,
                                        std::uint32_t words,
                                        const std::uint32_t* mask) {
  const void* const site = __builtin_return_address(0);
  return call(__func__, [&] {
    if (words == 0 || mask == nullptr) return hipErrorInvalidValue;
    return create(stream, hipStreamDefault, 0,
                  std::vector<std::uint32_t>(mask, mask + words), site);
  });
}

// hip_runtime_api.h: without a mask, all compute units.
hipError_t hipExtStreamGetCUMask(hipStream_t stream, std::uint32_t words,
                                 std::uint32_t* mask) {
  return call(__func__, [&] {
    const auto owned = streams().find(stream);
    const int device = eclosion::emulator::current_device();
    const int units = eclosion::emulator::device_facts(device).processors;
    if (mask == nullptr || words * 32U < static_cast<unsigned>(units)) {
      return hipErrorInvalidValue;
    }
    for (std::uint32_t i = 0; i < words; ++i) {
      const int left = units - static_cast<int>(i * 32);
      std::uint32_t all = left >= 32 ? ~0U : 0;
      if (left > 0 && left < 32) all = (1U << left) - 1;
      const bool is_masked = owned != nullptr && !owned->units.empty();
      if (!is_masked) mask[i] = all;
      if (is_masked) {
        mask[i] = i < owned->units.size() ? owned->units[i] & all : 0;
      }
    }
    return hipSuccess;
  });
}

// The handle is gone at once; work that was put before is still done.
hipError_t hipStreamDestroy(hipStream_t stream) {
  return call(__func__, [&] {
    const bool is_default = stream == nullptr || stream == hipStreamLegacy ||
                            stream == hipStreamPerThread;
    if (is_default) return hipErrorInvalidHandle;
    eclosion::emulator::note_gone(eclosion::emulator::Made::kStream, stream);
    return streams().take(stream) != nullptr ? hipSuccess
                                             : hipErrorInvalidHandle;
  });
}

hipError_t hipStreamQuery(hipStream_t handle) {
  return call(__func__, [&]() -> hipError_t {
    const StreamRef stream = find_stream(handle);
    return stream == nullptr ? invalid_stream() : number(stream->query());
  });
}

hipError_t hipStreamSynchronize(hipStream_t handle) {
  return call(__func__, [&]() -> hipError_t {
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    const Status status = stream->synchronize();
    if (status == Status::kSuccess) {
      eclosion::emulator::release_unused(stream->device());
    }
    return number(status);
  });
}

hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event,
                              unsigned flags) {
  return call(__func__, [&]() -> hipError_t {
    if (flags != hipEventWaitDefault && flags != hipEventWaitExternal) {
      return hipErrorInvalidValue;
    }
    const StreamRef stream = find_stream(handle);
    const auto awaited = events().find(event);
    if (stream == nullptr || awaited == nullptr) return hipErrorInvalidHandle;
    return number(flags == hipEventWaitExternal ? stream->wait_external(awaited)
                                                : stream->wait(awaited));
  });
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return call(__func__, [&] {
    return ask(stream, flags, [](const Stream& s) { return s.flags(); });
  });
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  return call(__func__, [&] {
    return ask(stream, priority, [](const Stream& s) { return s.priority(); });
  });
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* id) {
  return call(__func__, [&] {
    return ask(stream, id, [](const Stream& s) { return s.id(); });
  });
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  return call(__func__, [&] {
    return ask(stream, device, [](const Stream& s) { return s.device(); });
  });
}

// No status: the device, or -1 where the vendor's has none to give.
int hipGetStreamDeviceId(hipStream_t handle) {
  if (begin() != hipSuccess) return -1;
  const StreamRef stream = find_stream(handle);
  return stream == nullptr ? -1 : stream->device();
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(__func__, [&] {
    if (least != nullptr) *least = kLowest;
    if (greatest != nullptr) *greatest = kHighest;
    return hipSuccess;
  });
}

hipError_t hipLaunchHostFunc(hipStream_t handle, hipHostFn_t function,
                             void* data) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    if (function == nullptr) return hipErrorInvalidValue;
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    return number(stream->put_host(
        {"function of the host", site}, [=](Status) { function(data); }, false,
        hipHostNodeParams{function, data}));
  });
}

hipError_t hipStreamAddCallback(hipStream_t handle,
                                hipStreamCallback_t callback, void* data,
                                unsigned flags) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    if (callback == nullptr || flags != 0) return hipErrorInvalidValue;
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    if (stream->capture_state() != CaptureState::kNone) {
      return hipErrorStreamCaptureUnsupported;
    }
    return number(stream->put_host(
        {"callback of the host", site},
        [=](Status status) { callback(handle, number(status), data); }, true));
  });
}

}  // extern "C"
