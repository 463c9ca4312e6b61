// Memory of the host as that of two GPUs: allocations, pools, growing ranges,
// pinned memory, what is shared.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "state.h"

struct ihipMemPoolHandle_t {
  int device;
  std::uint64_t keep = 0;
  std::uint64_t used = 0;
  std::uint64_t idle = 0;
};

namespace {

constexpr std::size_t kUnit = 4096;
constexpr std::size_t kMost = std::size_t{1} << 40;

std::map<std::uintptr_t, hipMemPool_t>& pooled() {
  static std::map<std::uintptr_t, hipMemPool_t> all;
  return all;
}

hipError_t take(void** address, std::size_t size) {
  const std::lock_guard held(state().lock);
  use();
  *address = size > kMost ? nullptr : std::malloc(size + 1);
  if (*address == nullptr) return hipErrorOutOfMemory;
  state().memory[number_of(*address)] = {size, current()};
  return hipSuccess;
}

// What is released has to be released on its device.
hipError_t give(void* address) {
  const std::lock_guard held(state().lock);
  const auto found = state().memory.find(number_of(address));
  if (found == state().memory.end()) return hipErrorInvalidValue;
  if (found->second.device != current()) std::abort();
  state().memory.erase(found);
  std::free(address);
  return hipSuccess;
}

// The allocation of the current device that holds an address.
const std::pair<const std::uintptr_t, Allocation>* holding(const void* at) {
  auto found = state().memory.upper_bound(number_of(at));
  if (found == state().memory.begin()) return nullptr;
  --found;
  const bool is_inside = number_of(at) <= found->first + found->second.size;
  return is_inside && found->second.device == current() ? &*found : nullptr;
}

}  // namespace

extern "C" {

hipError_t hipMalloc(void** address, std::size_t size) {
  return take(address, size);
}
hipError_t hipFree(void* address) { return give(address); }
hipError_t hipHostAlloc(void** address, std::size_t size, unsigned) {
  const hipError_t status = take(address, size);
  if (status == hipSuccess) state().pinned[number_of(*address)] = size;
  return status;
}
hipError_t hipHostFree(void* address) {
  state().pinned.erase(number_of(address));
  return give(address);
}
hipError_t hipHostRegister(void* address, std::size_t size, unsigned) {
  const std::lock_guard held(state().lock);
  use();
  return state().pinned.insert({number_of(address), size}).second
             ? hipSuccess
             : hipErrorHostMemoryAlreadyRegistered;
}
hipError_t hipHostUnregister(void* address) {
  const std::lock_guard held(state().lock);
  return state().pinned.erase(number_of(address)) != 0
             ? hipSuccess
             : hipErrorHostMemoryNotRegistered;
}
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned) {
  const std::lock_guard held(state().lock);
  *device = host;
  return state().pinned.count(number_of(host)) != 0 ? hipSuccess
                                                    : hipErrorInvalidValue;
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t size,
                          hipMemcpyKind, hipStream_t stream) {
  return put(stream, [=] { std::memcpy(to, from, size); });
}
hipError_t hipMemsetAsync(void* to, int value, std::size_t size,
                          hipStream_t stream) {
  return put(stream, [=] { std::memset(to, value, size); });
}

hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* props) {
  if (props->location.id != current()) return hipErrorInvalidDevice;
  *pool = new ihipMemPoolHandle_t{current()};
  return hipSuccess;
}
hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  delete pool;
  return hipSuccess;
}
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr,
                                  void* value) {
  pool->keep = *static_cast<std::uint64_t*>(value);
  return hipSuccess;
}
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr which,
                                  void* value) {
  const bool is_used = which == hipMemPoolAttrUsedMemCurrent;
  *static_cast<std::uint64_t*>(value) =
      is_used ? pool->used : pool->used + pool->idle;
  return hipSuccess;
}
hipError_t hipMallocFromPoolAsync(void** address, std::size_t size,
                                  hipMemPool_t pool, hipStream_t stream) {
  if (stream->device != current() || pool->device != current()) {
    return hipErrorInvalidHandle;
  }
  const hipError_t status = take(address, size);
  if (status != hipSuccess) return status;
  pooled()[number_of(*address)] = pool;
  pool->used += size;
  pool->idle -= std::min<std::uint64_t>(pool->idle, size);
  return hipSuccess;
}
hipError_t hipFreeAsync(void* address, hipStream_t stream) {
  if (stream->device != current()) return hipErrorInvalidHandle;
  hipMemPool_t pool = pooled().at(number_of(address));
  const std::size_t size = state().memory.at(number_of(address)).size;
  pool->used -= size;
  pool->idle += size;
  if (pool->used + pool->idle > pool->keep) pool->idle = 0;
  return give(address);
}
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t) {
  pool->idle = 0;
  return hipSuccess;
}

hipError_t hipMemGetAllocationGranularity(std::size_t* unit,
                                          const hipMemAllocationProp* kind,
                                          hipMemAllocationGranularity_flags) {
  *unit = kUnit;
  return kind->location.id == current() ? hipSuccess : hipErrorInvalidDevice;
}
hipError_t hipMemAddressReserve(void** at, std::size_t size, std::size_t, void*,
                                unsigned long long) {
  *at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return *at == MAP_FAILED ? hipErrorOutOfMemory : hipSuccess;
}
hipError_t hipMemAddressFree(void* at, std::size_t size) {
  munmap(at, size);
  return hipSuccess;
}
hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, std::size_t,
                        const hipMemAllocationProp*, unsigned long long) {
  *handle = nullptr;
  return hipSuccess;
}
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t) { return hipSuccess; }
hipError_t hipMemMap(void*, std::size_t, std::size_t,
                     hipMemGenericAllocationHandle_t, unsigned long long) {
  return hipSuccess;
}
hipError_t hipMemUnmap(void*, std::size_t) { return hipSuccess; }
hipError_t hipMemSetAccess(void* at, std::size_t size,
                           const hipMemAccessDesc* access, std::size_t) {
  if (access->location.id != current()) return hipErrorInvalidDevice;
  return mprotect(at, size, PROT_READ | PROT_WRITE) == 0 ? hipSuccess
                                                         : hipErrorOutOfMemory;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* size,
                                 hipDeviceptr_t at) {
  const std::lock_guard held(state().lock);
  const auto* found = holding(at);
  if (found == nullptr) return hipErrorNotFound;
  *base = reinterpret_cast<void*>(found->first);
  *size = found->second.size;
  return hipSuccess;
}
hipError_t hipMemGetHandleForAddressRange(void*, hipDeviceptr_t, std::size_t,
                                          hipMemRangeHandleType,
                                          unsigned long long) {
  return hipErrorNotSupported;
}
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* at) {
  const std::lock_guard held(state().lock);
  const auto* found = holding(at);
  if (found == nullptr) return hipErrorInvalidValue;
  *handle = {};
  std::memcpy(handle, &found->first, sizeof(found->first));
  return hipSuccess;
}
hipError_t hipIpcOpenMemHandle(void** at, hipIpcMemHandle_t handle, unsigned) {
  std::memcpy(at, &handle, sizeof(*at));
  return hipSuccess;
}
hipError_t hipIpcCloseMemHandle(void*) { return hipSuccess; }

}  // extern "C"
