// Handles of pools, what a program may ask of one, and memory from it.
#include <mutex>
#include <unordered_map>

#include "handles.h"
#include "objects.h"
#include "pools.h"
#include "state.h"

namespace eclosion::cuda {
namespace {

using emulator::Pool;

struct Tables {
  emulator::Handles<CUmemoryPool, Pool> pools;
  std::mutex lock;
  std::unordered_map<const Pool*, CUmemoryPool> handles;
};

Tables& tables() {
  static auto* made = new Tables;
  return *made;
}

template <typename Value>
Value as(const void* value) {
  return *static_cast<const Value*>(value);
}

// High marks can be set to 0 only (cuda.h, CU_MEMPOOL_ATTR_*_HIGH).
Status reset_high(Pool& pool, CUmemPool_attribute attribute,
                  const void* value) {
  if (as<cuuint64_t>(value) != 0) return Status::kInvalidValue;
  if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) {
    pool.reset_reserved_high();
  } else {
    pool.reset_used_high();
  }
  return Status::kSuccess;
}

bool* reuse_rule(Pool::Rules& rules, CUmemPool_attribute attribute) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return &rules.follow_event_dependencies;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return &rules.allow_opportunistic;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return &rules.allow_internal_dependencies;
    default:
      return nullptr;
  }
}

bool read_size(const Pool& pool, CUmemPool_attribute attribute,
               std::uint64_t* size) {
  const Pool::Figures figures = pool.figures();
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return *size = pool.rules().release_threshold, true;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return *size = figures.reserved, true;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return *size = figures.reserved_high, true;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return *size = figures.used, true;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return *size = figures.used_high, true;
    default:
      return false;
  }
}

}  // namespace

CUmemoryPool pool_handle(const PoolRef& pool) {
  Tables& all = tables();
  const std::lock_guard held(all.lock);
  CUmemoryPool& handle = all.handles[pool.get()];
  if (handle == nullptr || all.pools.find(handle) != pool) {
    handle = all.pools.add(pool);
  }
  return handle;
}

Status find_pool(CUmemoryPool handle, PoolRef* pool) {
  *pool = tables().pools.find(handle);
  return *pool ? Status::kSuccess : Status::kInvalidValue;
}

Status destroy_pool(CUmemoryPool handle) {
  PoolRef pool;
  Status status = find_pool(handle, &pool);
  if (status == Status::kSuccess) status = Pool::destroy(pool);
  if (status != Status::kSuccess) return status;
  Tables& all = tables();
  all.pools.take(handle);
  const std::lock_guard held(all.lock);
  all.handles.erase(pool.get());
  return Status::kSuccess;
}

Status create_pool(const CUmemPoolProps* properties, CUmemoryPool* handle) {
  if (handle == nullptr || properties == nullptr ||
      properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      (properties->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) !=
          0) {
    return Status::kInvalidValue;
  }
  // Pools of the host's memory are not emulated, as the attributes say.
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return Status::kNotSupported;
  }
  if (!is_device(properties->location.id)) return Status::kInvalidDevice;
  PoolRef pool;
  const Status status =
      Pool::create(properties->location.id, properties->maxSize,
                   properties->handleTypes != 0, &pool);
  if (status == Status::kSuccess) *handle = pool_handle(pool);
  return status;
}

Status set_pool_attribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                          const void* value) {
  PoolRef pool;
  const Status status = find_pool(handle, &pool);
  if (status != Status::kSuccess) return status;
  if (value == nullptr) return Status::kInvalidValue;
  if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ||
      attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
    return reset_high(*pool, attribute, value);
  }
  Pool::Rules rules = pool->rules();
  if (bool* const rule = reuse_rule(rules, attribute)) {
    *rule = as<int>(value) != 0;
  } else if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    rules.release_threshold = as<cuuint64_t>(value);
  } else {
    return Status::kInvalidValue;
  }
  pool->set_rules(rules);
  return Status::kSuccess;
}

Status get_pool_attribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                          void* value) {
  PoolRef pool;
  const Status status = find_pool(handle, &pool);
  if (status != Status::kSuccess) return status;
  if (value == nullptr) return Status::kInvalidValue;
  Pool::Rules rules = pool->rules();
  if (const bool* const rule = reuse_rule(rules, attribute)) {
    *static_cast<int*>(value) = *rule ? 1 : 0;
    return Status::kSuccess;
  }
  std::uint64_t size = 0;
  if (!read_size(*pool, attribute, &size)) return Status::kInvalidValue;
  *static_cast<cuuint64_t*>(value) = size;
  return Status::kSuccess;
}

Status set_pool_access(CUmemoryPool handle, const CUmemAccessDesc* list,
                       std::size_t count) {
  PoolRef pool;
  Status status = find_pool(handle, &pool);
  if (status == Status::kSuccess && list == nullptr && count != 0) {
    status = Status::kInvalidValue;
  }
  for (std::size_t i = 0; status == Status::kSuccess && i < count; ++i) {
    if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
      return Status::kInvalidValue;
    }
    if (!is_device(list[i].location.id)) return Status::kInvalidDevice;
    status = pool->set_access(list[i].location.id,
                              static_cast<unsigned>(list[i].flags));
  }
  return status;
}

Status get_pool_access(CUmemoryPool handle, const CUmemLocation* location,
                       CUmemAccess_flags* flags) {
  PoolRef pool;
  const Status status = find_pool(handle, &pool);
  if (status != Status::kSuccess) return status;
  if (location == nullptr || flags == nullptr ||
      location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return Status::kInvalidValue;
  }
  if (!is_device(location->id)) return Status::kInvalidDevice;
  *flags = static_cast<CUmemAccess_flags>(pool->access(location->id));
  return Status::kSuccess;
}

Status allocate_in_order(CUstream handle, CUmemoryPool pool_handle,
                         std::size_t size, const void* site, void** address) {
  if (address == nullptr) return Status::kInvalidValue;
  StreamRef stream;
  Status status = find_stream(handle, &stream);
  if (status != Status::kSuccess) return status;
  PoolRef pool;
  if (pool_handle == nullptr) {
    pool = Pool::current_of(stream->device());
  } else {
    status = find_pool(pool_handle, &pool);
    if (status != Status::kSuccess) return status;
  }
  return pool->allocate(*stream, size, site, address);
}

Status free_in_order(CUstream handle, void* address, const void* site) {
  StreamRef stream;
  const Status status = find_stream(handle, &stream);
  return status != Status::kSuccess
             ? status
             : emulator::free_in_order(*stream, address, site);
}

}  // namespace eclosion::cuda
