// Pools and allocations in a stream's order, and shared memory, by the driver's
// functions.
#include <cstring>

#include "front.h"
#include "pools.h"
#include "sharing.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::Pool;

namespace {

void** place(CUdeviceptr* address) { return reinterpret_cast<void**>(address); }

}  // namespace

CUresult cuMemAllocAsync(CUdeviceptr* address, size_t size, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return allocate_in_order(stream, nullptr, size, site, place(address));
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t size,
                                 CUmemoryPool pool, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (pool == nullptr) return Status::kInvalidValue;
    return allocate_in_order(stream, pool, size, site, place(address));
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (address == 0) return Status::kInvalidValue;
    return eclosion::cuda::free_in_order(
        stream, reinterpret_cast<void*>(address), site);
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return create_pool(properties, pool);
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return driver_call(__func__, kDriver,
                     [&]() -> DriverResult { return destroy_pool(pool); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    PoolRef pool;
    const Status status = find_pool(handle, &pool);
    if (status == Status::kSuccess) pool->trim(keep);
    return status;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void* value) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return set_pool_attribute(pool, attribute, value);
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void* value) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return get_pool_attribute(pool, attribute, value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* list,
                            size_t count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return set_pool_access(pool, list, count);
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool,
                            CUmemLocation* location) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return get_pool_access(pool, location, flags);
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (pool == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    *pool = pool_handle(Pool::default_of(device));
    return Status::kSuccess;
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (pool == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    *pool = pool_handle(Pool::current_of(device));
    return Status::kSuccess;
  });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (!is_device(device)) return Status::kInvalidDevice;
    PoolRef pool;
    const Status status = find_pool(handle, &pool);
    return status != Status::kSuccess ? status
                                      : Pool::make_current(device, pool);
  });
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return export_memory(reinterpret_cast<void*>(address), handle);
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle,
                            unsigned flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return import_memory(handle, flags, place(address));
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return close_memory(reinterpret_cast<void*>(address));
  });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return export_event(event, handle);
  });
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return import_event(handle, event);
  });
}
