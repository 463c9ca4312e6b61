// Contexts by the driver's functions: each thread's stack, primary contexts.
#include "context_limits.h"
#include "device.h"
#include "front.h"
#include "peers.h"
#include "streaming.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

namespace {

constexpr unsigned kFlags = CU_CTX_FLAGS_MASK;

}  // namespace

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* params,
                     unsigned flags, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (context == nullptr || (flags & ~kFlags) != 0) {
      return Status::kInvalidValue;
    }
    if (!is_device(device)) return Status::kInvalidDevice;
    // Parts of a device are not emulated.
    if (params != nullptr &&
        (params->numExecAffinityParams != 0 || params->cigParams != nullptr)) {
      return Status::kNotSupported;
    }
    *context = create_context(device, flags)->handle;
    return Status::kSuccess;
  });
}

CUresult cuCtxDestroy(CUcontext context) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return destroy_context(context);
  });
}

CUresult cuCtxPushCurrent(CUcontext handle) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    const ContextRef context = find_context(handle);
    if (!context) return Status::kInvalidContext;
    push_context(context);
    return Status::kSuccess;
  });
}

CUresult cuCtxPopCurrent(CUcontext* handle) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    const ContextRef context = pop_context();
    if (!context) return Status::kInvalidContext;
    if (handle != nullptr) *handle = context->handle;
    return Status::kSuccess;
  });
}

CUresult cuCtxSetCurrent(CUcontext handle) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    const ContextRef context = handle ? find_context(handle) : nullptr;
    if (handle != nullptr && !context) return Status::kInvalidContext;
    set_current_context(context);
    return Status::kSuccess;
  });
}

CUresult cuCtxGetCurrent(CUcontext* handle) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (handle == nullptr) return Status::kInvalidValue;
    const ContextRef context = current_context();
    *handle = context ? context->handle : nullptr;
    return Status::kSuccess;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (device == nullptr) return Status::kInvalidValue;
    const ContextRef context = current_context();
    if (!context) return Status::kInvalidContext;
    *device = context->device;
    return Status::kSuccess;
  });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (flags == nullptr) return Status::kInvalidValue;
    *flags = current_context()->flags;
    return Status::kSuccess;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if ((flags & ~kFlags) != 0) return Status::kInvalidValue;
    current_context()->flags = flags;
    return Status::kSuccess;
  });
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (id == nullptr) return Status::kInvalidValue;
    const ContextRef context =
        handle != nullptr ? find_context(handle) : current_context();
    if (!context) return Status::kInvalidContext;
    *id = reinterpret_cast<std::uintptr_t>(context->handle);
    return Status::kSuccess;
  });
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (version == nullptr) return Status::kInvalidValue;
    if (handle != nullptr && !find_context(handle)) {
      return Status::kInvalidContext;
    }
    // Of contexts since 3.2 (cuda.h, cuCtxGetApiVersion).
    constexpr unsigned kApi = 3020;
    *version = kApi;
    return Status::kSuccess;
  });
}

CUresult cuCtxSynchronize() {
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    return synchronize_device(emulator::current_device());
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return Status::kSuccess;
  });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return get_limit(emulator::current_device(), limit, value);
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return set_limit(emulator::current_device(), limit, value);
  });
}

// There is no cache to prefer.
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (config == nullptr) return Status::kInvalidValue;
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return Status::kSuccess;
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return config > CU_FUNC_CACHE_PREFER_EQUAL ? Status::kInvalidValue
                                               : Status::kSuccess;
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (flags != 0) return Status::kInvalidValue;
    const ContextRef peer = find_context(handle);
    if (!peer) return Status::kInvalidContext;
    return emulator::enable_peer(emulator::current_device(), peer->device);
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    const ContextRef peer = find_context(handle);
    if (!peer) return Status::kInvalidContext;
    return emulator::disable_peer(emulator::current_device(), peer->device);
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (context == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    ContextRef primary;
    const Status status = retain_primary(device, &primary);
    if (status == Status::kSuccess) *context = primary->handle;
    return status;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (!is_device(device)) return Status::kInvalidDevice;
    return release_primary(device);
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (!is_device(device)) return Status::kInvalidDevice;
    return reset_primary(device);
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (!is_device(device)) return Status::kInvalidDevice;
    if ((flags & ~kFlags) != 0) return Status::kInvalidValue;
    primary_context(device)->flags = flags;
    return Status::kSuccess;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags,
                                    int* is_active) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (flags == nullptr || is_active == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    const ContextRef context = primary_context(device);
    *flags = context->flags;
    *is_active = context->is_alive ? 1 : 0;
    return Status::kSuccess;
  });
}
