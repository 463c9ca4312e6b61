// Settings of devices and streams by the runtime's functions: limits, flags,
// hints on caches and on managed memory.
#include "context_limits.h"
#include "device.h"
#include "front.h"
#include "hints.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

static_assert(static_cast<int>(cudaLimitPersistingL2CacheSize) ==
              CU_LIMIT_PERSISTING_L2_CACHE_SIZE);

namespace {

RuntimeResult checked(cudaLimit limit, Status status) {
  // cudaDeviceSetLimit (cuda_runtime_api.h).
  return is_known_limit(static_cast<CUlimit>(limit))
             ? RuntimeResult(status)
             : RuntimeResult(cudaErrorUnsupportedLimit);
}

}  // namespace

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return checked(limit, set_limit(emulator::current_device(),
                                    static_cast<CUlimit>(limit), value));
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (value == nullptr) return Status::kInvalidValue;
    return checked(limit, get_limit(emulator::current_device(),
                                    static_cast<CUlimit>(limit), value));
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) != 0) {
      return Status::kInvalidValue;
    }
    primary_context(emulator::current_device())->flags = flags;
    return Status::kSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (flags == nullptr) return Status::kInvalidValue;
    // All pinned memory is mapped, whatever was asked for.
    *flags =
        primary_context(emulator::current_device())->flags | cudaDeviceMapHost;
    return Status::kSuccess;
  });
}

// There is no cache to prefer.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return config > cudaFuncCachePreferEqual ? Status::kInvalidValue
                                             : Status::kSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (config == nullptr) return Status::kInvalidValue;
    *config = cudaFuncCachePreferNone;
    return Status::kSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return runtime_call(__func__, kContext,
                      []() -> RuntimeResult { return Status::kSuccess; });
}

namespace {

static_assert(static_cast<int>(cudaMemAdviseUnsetAccessedBy) ==
              CU_MEM_ADVISE_UNSET_ACCESSED_BY);

CUmemLocation same(const cudaMemLocation& location) {
  CUmemLocation place{};
  place.type = static_cast<CUmemLocationType>(location.type);
  place.id = location.id;
  return place;
}

}  // namespace

cudaError_t cudaMemAdvise(const void* address, size_t size,
                          cudaMemoryAdvise advice, cudaMemLocation location) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return check_advice(address, size, static_cast<CUmem_advise>(advice),
                        same(location));
  });
}

cudaError_t cudaMemPrefetchAsync(const void* address, size_t size,
                                 cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return check_prefetch(address, size, same(location), flags, stream);
  });
}
