// Contexts, which HIP has for programs of the driver's interface: each device
// has one, and a handle of it says the device.
//
// hip_runtime_api.h calls all of them deprecated; contexts that a program makes
// are the primary one of the device there.
#include <cstdint>
#include <vector>

#include "device.h"
#include "devices.h"
#include "front.h"
#include "peers.h"
#include "stream.h"

namespace eclosion::hip {

namespace {

using emulator::current_device;
using emulator::set_current_device;

hipCtx_t handle_of(int device) {
  return reinterpret_cast<hipCtx_t>(static_cast<std::uintptr_t>(device + 1) *
                                    0x1000);
}

// -1: not a context.
int device_of(hipCtx_t context) {
  const auto value = reinterpret_cast<std::uintptr_t>(context);
  const bool is_handle = value != 0 && value % 0x1000 == 0;
  const auto device = static_cast<long long>(value / 0x1000) - 1;
  return is_handle && device < emulator::device_count()
             ? static_cast<int>(device)
             : -1;
}

// Devices that the thread comes back to, one per context that it pushed.
thread_local std::vector<int> stack;

hipError_t set_current(int device) {
  if (device < 0) return hipErrorInvalidContext;
  set_current_device(device);
  use_device(device);
  return hipSuccess;
}

template <typename T>
hipError_t answer(T* to, T value) {
  if (to == nullptr) return hipErrorInvalidValue;
  *to = value;
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

hipError_t hipCtxCreate(hipCtx_t* context, unsigned, hipDevice_t device) {
  return call(__func__, [&] {
    if (context == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    stack.push_back(current_device());
    *context = handle_of(device);
    return set_current(device);
  });
}

hipError_t hipCtxDestroy(hipCtx_t context) {
  return call(__func__, [&] {
    if (device_of(context) < 0) return hipErrorInvalidValue;
    const bool is_current = device_of(context) == current_device();
    if (is_current && !stack.empty()) {
      set_current_device(stack.back());
      stack.pop_back();
    }
    return hipSuccess;
  });
}

hipError_t hipCtxPushCurrent(hipCtx_t context) {
  return call(__func__, [&] {
    if (device_of(context) < 0) return hipErrorInvalidContext;
    stack.push_back(current_device());
    return set_current(device_of(context));
  });
}

hipError_t hipCtxPopCurrent(hipCtx_t* context) {
  return call(__func__, [&] {
    if (stack.empty()) return hipErrorInvalidContext;
    if (context != nullptr) *context = handle_of(current_device());
    set_current_device(stack.back());
    stack.pop_back();
    return hipSuccess;
  });
}

hipError_t hipCtxSetCurrent(hipCtx_t context) {
  return call(__func__, [&] {
    // Null: no context is current; the next call uses the device's again.
    if (context == nullptr) return hipSuccess;
    return set_current(device_of(context));
  });
}

hipError_t hipCtxGetCurrent(hipCtx_t* context) {
  return call(__func__,
              [&] { return answer(context, handle_of(current_device())); });
}

hipError_t hipCtxGetDevice(hipDevice_t* device) {
  return call(__func__, [&] { return answer(device, current_device()); });
}

// The release of the interface that contexts follow: hip_runtime_api.h.
hipError_t hipCtxGetApiVersion(hipCtx_t context, unsigned* version) {
  return call(__func__, [&] {
    if (context != nullptr && device_of(context) < 0) {
      return hipErrorInvalidContext;
    }
    return answer(version, static_cast<unsigned>(HIP_VERSION_MAJOR));
  });
}

hipError_t hipCtxGetFlags(unsigned* flags) { return hipGetDeviceFlags(flags); }
hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }

hipError_t hipCtxGetCacheConfig(hipFuncCache_t* config) {
  return hipDeviceGetCacheConfig(config);
}
hipError_t hipCtxSetCacheConfig(hipFuncCache_t config) {
  return hipDeviceSetCacheConfig(config);
}
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* config) {
  return hipDeviceGetSharedMemConfig(config);
}
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) {
  return hipDeviceSetSharedMemConfig(config);
}

hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags) {
  return hipDeviceEnablePeerAccess(device_of(peer), flags);
}
hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
  return hipDeviceDisablePeerAccess(device_of(peer));
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned* flags,
                                       int* active) {
  return call(__func__, [&] {
    if (!is_device(device)) return hipErrorInvalidDevice;
    if (flags != nullptr) *flags = 0;
    if (active != nullptr) *active = is_used(device) ? 1 : 0;
    return hipSuccess;
  });
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
  return call(__func__, [&] {
    if (!is_device(device)) return hipErrorInvalidDevice;
    use_device(device);
    return answer(context, handle_of(device));
  });
}

// hip_runtime_api.h: "returns hipSuccess though doesn't release the primaryCtx
// by design".
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
  return call(__func__, [&] {
    return is_device(device) ? hipSuccess : hipErrorInvalidDevice;
  });
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
  return call(__func__, [&] {
    return is_device(device) ? hipSuccess : hipErrorInvalidDevice;
  });
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned) {
  return call(__func__, [&] {
    if (!is_device(device)) return hipErrorInvalidDevice;
    return hipErrorContextAlreadyInUse;
  });
}

}  // extern "C"
