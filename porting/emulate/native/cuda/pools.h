// Pools of memory as both libraries make and ask them.
#pragma once

#include <cuda.h>

#include "pool.h"
#include "statuses.h"

namespace eclosion::cuda {

using emulator::PoolRef;

CUmemoryPool pool_handle(const PoolRef& pool);
Status find_pool(CUmemoryPool handle, PoolRef* pool);
Status destroy_pool(CUmemoryPool handle);

Status create_pool(const CUmemPoolProps* properties, CUmemoryPool* handle);
Status set_pool_attribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                          const void* value);
Status get_pool_attribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                          void* value);
Status set_pool_access(CUmemoryPool handle, const CUmemAccessDesc* list,
                       std::size_t count);
Status get_pool_access(CUmemoryPool handle, const CUmemLocation* location,
                       CUmemAccess_flags* flags);

// A null pool: the current one of the stream's device.
Status allocate_in_order(CUstream stream, CUmemoryPool pool, std::size_t size,
                         const void* site, void** address);
Status free_in_order(CUstream stream, void* address, const void* site);

}  // namespace eclosion::cuda
