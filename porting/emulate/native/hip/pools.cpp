// Pools of memory, and allocating and freeing in the order of a stream.
#include "pool.h"

#include <cstdint>
#include <cstring>

#include "device.h"
#include "devices.h"
#include "front.h"
#include "handles.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

using emulator::Pool;
using emulator::PoolRef;
using emulator::StreamRef;

emulator::Handles<hipMemPool_t, Pool>& pools() {
  static auto* all = new emulator::Handles<hipMemPool_t, Pool>;
  return *all;
}

hipMemPool_t handle_of(const PoolRef& pool) {
  const hipMemPool_t known = pools().handle_of(pool.get());
  return known != nullptr ? known : pools().add(pool);
}

hipError_t allocate(void** address, std::size_t size, const PoolRef& pool,
                    const StreamRef& stream, const void* site) {
  if (address == nullptr || pool == nullptr) return hipErrorInvalidValue;
  *address = nullptr;
  if (size == 0) return hipSuccess;
  use_device(stream->device());
  return number(pool->allocate(*stream, size, site, address));
}

hipError_t create(hipMemPool_t* made, const hipMemPoolProps* properties) {
  if (made == nullptr || properties == nullptr ||
      properties->allocType != hipMemAllocationTypePinned ||
      properties->location.type != hipMemLocationTypeDevice ||
      !is_device(properties->location.id)) {
    return hipErrorInvalidValue;
  }
  const auto types = properties->handleTypes;
  if (types != hipMemHandleTypeNone &&
      types != hipMemHandleTypePosixFileDescriptor) {
    return hipErrorNotSupported;
  }
  PoolRef pool;
  const hipError_t status =
      number(Pool::create(properties->location.id, properties->maxSize,
                          types == hipMemHandleTypePosixFileDescriptor, &pool));
  if (status == hipSuccess) *made = pools().add(std::move(pool));
  return status;
}

bool* rule_of(Pool::Rules& rules, hipMemPoolAttr attribute) {
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
      return &rules.follow_event_dependencies;
    case hipMemPoolReuseAllowOpportunistic:
      return &rules.allow_opportunistic;
    case hipMemPoolReuseAllowInternalDependencies:
      return &rules.allow_internal_dependencies;
    default:
      return nullptr;
  }
}

template <typename T>
hipError_t answer(void* to, T value) {
  std::memcpy(to, &value, sizeof(value));
  return hipSuccess;
}

hipError_t get(const Pool& pool, hipMemPoolAttr attribute, void* value) {
  Pool::Rules rules = pool.rules();
  if (const bool* rule = rule_of(rules, attribute)) {
    return answer(value, static_cast<int>(*rule));
  }
  const Pool::Figures figures = pool.figures();
  switch (attribute) {
    case hipMemPoolAttrReleaseThreshold:
      return answer(value, rules.release_threshold);
    case hipMemPoolAttrReservedMemCurrent:
      return answer(value, figures.reserved);
    case hipMemPoolAttrReservedMemHigh:
      return answer(value, figures.reserved_high);
    case hipMemPoolAttrUsedMemCurrent:
      return answer(value, figures.used);
    case hipMemPoolAttrUsedMemHigh:
      return answer(value, figures.used_high);
    default:
      return hipErrorInvalidValue;
  }
}

template <typename T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

// hip_runtime_api.h, hipMemPoolAttr: "High watermark can only be reset to
// zero."
hipError_t set(Pool& pool, hipMemPoolAttr attribute, const void* value) {
  Pool::Rules rules = pool.rules();
  if (bool* rule = rule_of(rules, attribute)) {
    *rule = read<int>(value) != 0;
    pool.set_rules(rules);
    return hipSuccess;
  }
  const auto number = read<std::uint64_t>(value);
  if (attribute == hipMemPoolAttrReleaseThreshold) {
    rules.release_threshold = number;
    pool.set_rules(rules);
    return hipSuccess;
  }
  if (number != 0) return hipErrorInvalidValue;
  if (attribute == hipMemPoolAttrReservedMemHigh) {
    pool.reset_reserved_high();
    return hipSuccess;
  }
  if (attribute != hipMemPoolAttrUsedMemHigh) return hipErrorInvalidValue;
  pool.reset_used_high();
  return hipSuccess;
}

hipError_t set_access(Pool& pool, const hipMemAccessDesc* list,
                      std::size_t count) {
  if (list == nullptr && count != 0) return hipErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    const hipMemLocation& at = list[i].location;
    if (at.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
    if (!is_device(at.id)) return hipErrorInvalidDevice;
    const hipError_t status = number(pool.set_access(at.id, list[i].flags));
    if (status != hipSuccess) return status;
  }
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::Pool;
using eclosion::emulator::PoolRef;
using eclosion::emulator::SharedHandle;
using eclosion::emulator::StreamRef;

static_assert(sizeof(SharedHandle) == sizeof(hipMemPoolPtrExportData));

extern "C" {

hipError_t hipMallocAsync(void** address, std::size_t size,
                          hipStream_t handle) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    return allocate(address, size, Pool::current_of(stream->device()), stream,
                    site);
  });
}

hipError_t hipMallocFromPoolAsync(void** address, std::size_t size,
                                  hipMemPool_t pool, hipStream_t handle) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    return allocate(address, size, pools().find(pool), stream, site);
  });
}

// Null is no error from 7.0 on (HIP documentation, "HIP API 7.0 changes",
// "Update hipFreeAsync").
hipError_t hipFreeAsync(void* address, hipStream_t handle) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    const StreamRef stream = find_stream(handle);
    if (stream == nullptr) return invalid_stream();
    if (address == nullptr) {
      return release_is_at_least(7) ? hipSuccess : hipErrorInvalidValue;
    }
    return number(eclosion::emulator::free_in_order(*stream, address, site));
  });
}

hipError_t hipMemPoolCreate(hipMemPool_t* pool,
                            const hipMemPoolProps* properties) {
  return call_outside_capture_since_7(__func__,
                                      [&] { return create(pool, properties); });
}

hipError_t hipMemPoolDestroy(hipMemPool_t handle) {
  return call_outside_capture_since_7(__func__, [&]() -> hipError_t {
    const PoolRef pool = pools().find(handle);
    if (pool == nullptr) return hipErrorInvalidValue;
    const hipError_t status = number(Pool::destroy(pool));
    if (status == hipSuccess) (void)pools().take(handle);
    return status;
  });
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  return call(__func__, [&] {
    if (pool == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    *pool = handle_of(Pool::default_of(device));
    return hipSuccess;
  });
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  return call(__func__, [&] {
    if (pool == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    *pool = handle_of(Pool::current_of(device));
    return hipSuccess;
  });
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t handle) {
  return call_outside_capture_since_7(__func__, [&]() -> hipError_t {
    const PoolRef pool = pools().find(handle);
    if (pool == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    return number(Pool::make_current(device, pool));
  });
}

hipError_t hipMemPoolTrimTo(hipMemPool_t handle, std::size_t keep) {
  return call(__func__, [&] {
    const PoolRef pool = pools().find(handle);
    if (pool == nullptr) return hipErrorInvalidValue;
    pool->trim(keep);
    return hipSuccess;
  });
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t handle, hipMemPoolAttr attribute,
                                  void* value) {
  return call(__func__, [&] {
    const PoolRef pool = pools().find(handle);
    if (pool == nullptr || value == nullptr) return hipErrorInvalidValue;
    return set(*pool, attribute, value);
  });
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t handle, hipMemPoolAttr attribute,
                                  void* value) {
  return call(__func__, [&] {
    const PoolRef pool = pools().find(handle);
    if (pool == nullptr || value == nullptr) return hipErrorInvalidValue;
    return get(*pool, attribute, value);
  });
}

hipError_t hipMemPoolSetAccess(hipMemPool_t handle,
                               const hipMemAccessDesc* list,
                               std::size_t count) {
  return call(__func__, [&] {
    const PoolRef pool = pools().find(handle);
    if (pool == nullptr) return hipErrorInvalidValue;
    return set_access(*pool, list, count);
  });
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t handle,
                               hipMemLocation* location) {
  return call(__func__, [&] {
    const PoolRef pool = pools().find(handle);
    if (flags == nullptr || pool == nullptr || location == nullptr ||
        location->type != hipMemLocationTypeDevice) {
      return hipErrorInvalidValue;
    }
    if (!is_device(location->id)) return hipErrorInvalidDevice;
    *flags = static_cast<hipMemAccessFlags>(pool->access(location->id));
    return hipSuccess;
  });
}

hipError_t hipMemPoolExportToShareableHandle(void* shareable,
                                             hipMemPool_t handle,
                                             hipMemAllocationHandleType type,
                                             unsigned flags) {
  return call(__func__, [&]() -> hipError_t {
    const PoolRef pool = pools().find(handle);
    if (shareable == nullptr || pool == nullptr || flags != 0 ||
        type != hipMemHandleTypePosixFileDescriptor) {
      return hipErrorInvalidValue;
    }
    int file = -1;
    const hipError_t status = number(pool->export_file(&file));
    return status != hipSuccess ? status : answer(shareable, file);
  });
}

// As CUDA, HIP takes the descriptor's number as a pointer here.
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* made,
                                               void* shareable,
                                               hipMemAllocationHandleType type,
                                               unsigned flags) {
  return call(__func__, [&]() -> hipError_t {
    if (made == nullptr || flags != 0 ||
        type != hipMemHandleTypePosixFileDescriptor) {
      return hipErrorInvalidValue;
    }
    const auto file =
        static_cast<int>(reinterpret_cast<std::intptr_t>(shareable));
    PoolRef pool;
    const hipError_t status = number(Pool::import_file(file, &pool));
    if (status == hipSuccess) *made = pools().add(std::move(pool));
    return status;
  });
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* data,
                                   void* address) {
  return call(__func__, [&]() -> hipError_t {
    if (data == nullptr || address == nullptr) return hipErrorInvalidValue;
    SharedHandle made{};
    const hipError_t status = number(Pool::export_pointer(address, &made));
    return status != hipSuccess ? status : answer(data, made);
  });
}

hipError_t hipMemPoolImportPointer(void** address, hipMemPool_t handle,
                                   hipMemPoolPtrExportData* data) {
  return call(__func__, [&]() -> hipError_t {
    const PoolRef pool = pools().find(handle);
    if (address == nullptr || pool == nullptr || data == nullptr) {
      return hipErrorInvalidValue;
    }
    return number(pool->import_pointer(read<SharedHandle>(data), address));
  });
}

}  // extern "C"
