// Pools and allocations in a stream's order, by the runtime's functions.
#include <cstring>

#include "device.h"
#include "front.h"
#include "pools.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::Pool;

// The structs of both libraries are one (driver_types.h, cuda.h).
static_assert(sizeof(cudaMemPoolProps) == sizeof(CUmemPoolProps));
static_assert(sizeof(cudaMemAccessDesc) == sizeof(CUmemAccessDesc));
static_assert(sizeof(cudaMemLocation) == sizeof(CUmemLocation));
static_assert(sizeof(cudaMemPoolPtrExportData) ==
              sizeof(CUmemPoolPtrExportData));
static_assert(static_cast<int>(cudaMemPoolAttrUsedMemHigh) ==
              CU_MEMPOOL_ATTR_USED_MEM_HIGH);

cudaError_t cudaMallocAsync(void** address, size_t size, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return allocate_in_order(stream, nullptr, size, site, address);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** address, size_t size,
                                    cudaMemPool_t pool, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (pool == nullptr) return Status::kInvalidValue;
    return allocate_in_order(stream, pool, size, site, address);
  });
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (address == nullptr) return Status::kInvalidValue;
    return eclosion::cuda::free_in_order(stream, address, site);
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool,
                              const cudaMemPoolProps* properties) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return create_pool(reinterpret_cast<const CUmemPoolProps*>(properties),
                       pool);
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return runtime_call(__func__, kDriver,
                      [&]() -> RuntimeResult { return destroy_pool(pool); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    PoolRef pool;
    const Status status = find_pool(handle, &pool);
    if (status == Status::kSuccess) pool->trim(keep);
    return status;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    cudaMemPoolAttr attribute, void* value) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return set_pool_attribute(pool, static_cast<CUmemPool_attribute>(attribute),
                              value);
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                    cudaMemPoolAttr attribute, void* value) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return get_pool_attribute(pool, static_cast<CUmemPool_attribute>(attribute),
                              value);
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool,
                                 const cudaMemAccessDesc* list, size_t count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return set_pool_access(pool, reinterpret_cast<const CUmemAccessDesc*>(list),
                           count);
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return get_pool_access(pool, reinterpret_cast<CUmemLocation*>(location),
                           reinterpret_cast<CUmemAccess_flags*>(flags));
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (pool == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    *pool = pool_handle(Pool::default_of(device));
    return Status::kSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (pool == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    *pool = pool_handle(Pool::current_of(device));
    return Status::kSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (!is_device(device)) return Status::kInvalidDevice;
    PoolRef pool;
    const Status status = find_pool(handle, &pool);
    return status != Status::kSuccess ? status
                                      : Pool::make_current(device, pool);
  });
}

namespace {

// Pools of the host's memory are not emulated, as the attributes say.
Status check_place(const cudaMemLocation* location,
                   cudaMemAllocationType type) {
  if (location == nullptr || type != cudaMemAllocationTypePinned) {
    return Status::kInvalidValue;
  }
  if (location->type != cudaMemLocationTypeDevice) {
    return Status::kNotSupported;
  }
  return is_device(location->id) ? Status::kSuccess : Status::kInvalidDevice;
}

}  // namespace

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool,
                                     cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (pool == nullptr) return Status::kInvalidValue;
    const Status status = check_place(location, type);
    if (status == Status::kSuccess) {
      *pool = pool_handle(Pool::default_of(location->id));
    }
    return status;
  });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                              cudaMemAllocationType type) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (pool == nullptr) return Status::kInvalidValue;
    const Status status = check_place(location, type);
    if (status == Status::kSuccess) {
      *pool = pool_handle(Pool::current_of(location->id));
    }
    return status;
  });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location,
                              cudaMemAllocationType type,
                              cudaMemPool_t handle) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    PoolRef pool;
    Status status = check_place(location, type);
    if (status == Status::kSuccess) status = find_pool(handle, &pool);
    return status != Status::kSuccess ? status
                                      : Pool::make_current(location->id, pool);
  });
}

cudaError_t cudaMemPoolExportToShareableHandle(void* file, cudaMemPool_t handle,
                                               cudaMemAllocationHandleType type,
                                               unsigned flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (file == nullptr || flags != 0 ||
        type != cudaMemHandleTypePosixFileDescriptor) {
      return Status::kInvalidValue;
    }
    PoolRef pool;
    const Status status = find_pool(handle, &pool);
    return status != Status::kSuccess
               ? status
               : pool->export_file(static_cast<int*>(file));
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(
    cudaMemPool_t* handle, void* file, cudaMemAllocationHandleType type,
    unsigned flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (handle == nullptr || flags != 0 ||
        type != cudaMemHandleTypePosixFileDescriptor) {
      return Status::kInvalidValue;
    }
    PoolRef pool;
    // The descriptor itself is in the pointer.
    const Status status = Pool::import_file(
        static_cast<int>(reinterpret_cast<std::intptr_t>(file)), &pool);
    if (status == Status::kSuccess) *handle = pool_handle(pool);
    return status;
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data,
                                     void* address) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (data == nullptr) return Status::kInvalidValue;
    emulator::SharedHandle shared;
    static_assert(sizeof(shared) == sizeof(*data));
    const Status status = Pool::export_pointer(address, &shared);
    if (status == Status::kSuccess) {
      std::memcpy(data, &shared, sizeof(shared));
    }
    return status;
  });
}

cudaError_t cudaMemPoolImportPointer(void** address, cudaMemPool_t handle,
                                     cudaMemPoolPtrExportData* data) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (address == nullptr || data == nullptr) return Status::kInvalidValue;
    PoolRef pool;
    const Status status = find_pool(handle, &pool);
    if (status != Status::kSuccess) return status;
    emulator::SharedHandle shared;
    std::memcpy(&shared, data, sizeof(shared));
    return pool->import_pointer(shared, address);
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (!is_device(device)) return Status::kInvalidDevice;
    emulator::trim_graphs(device);
    return Status::kSuccess;
  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                           cudaGraphMemAttributeType attribute,
                                           void* value) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (value == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    const Pool::Figures figures = emulator::graph_figures(device);
    auto* const size = static_cast<cuuint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
        return *size = figures.used, Status::kSuccess;
      case cudaGraphMemAttrUsedMemHigh:
        return *size = figures.used_high, Status::kSuccess;
      case cudaGraphMemAttrReservedMemCurrent:
        return *size = figures.reserved, Status::kSuccess;
      case cudaGraphMemAttrReservedMemHigh:
        return *size = figures.reserved_high, Status::kSuccess;
    }
    return Status::kInvalidValue;
  });
}
