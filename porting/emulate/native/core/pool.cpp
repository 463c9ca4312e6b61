// Pools of a device's memory: which there are, and what they have given.
#include "pool.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "memory_state.h"
#include "pool_block.h"
#include "shadow.h"
#include "stream.h"

namespace eclosion::emulator {

namespace {

constexpr unsigned kReadWrite = 3;

struct Pools {
  std::mutex mutex;
  std::array<PoolRef, kMostDevices> defaults;
  std::array<PoolRef, kMostDevices> current;
  std::vector<std::weak_ptr<Pool>> all;

  // Those of a device that still exist.
  std::vector<PoolRef> of_device(int device);
};

Pools& pools() {
  static Pools* const all = new Pools;  // outlives all threads
  return *all;
}

std::vector<PoolRef> Pools::of_device(int device) {
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const auto& pool) { return pool.expired(); });
  std::vector<PoolRef> found;
  for (const auto& weak : all) {
    PoolRef pool = weak.lock();
    if (pool && pool->device() == device) found.push_back(std::move(pool));
  }
  return found;
}

std::string in_words(const char* what, std::size_t size) {
  return std::string(what) + " of " + std::to_string(size) +
         " bytes of a memory pool";
}

}  // namespace

Pool::Pool(int device, std::size_t most, bool is_shareable)
    : id_([] {
        MemoryState& state = memory_state();
        const std::lock_guard lock(state.mutex);
        return state.next_id++;
      }()),
      device_(device),
      most_(most == 0 ? Memory::get().total(device) : most),
      is_shareable_(is_shareable) {}

Pool::~Pool() {
  MemoryState& state = memory_state();
  const std::lock_guard lock(state.mutex);
  state.refund(device_, figures_.reserved);
}

Status Pool::create(int device, std::size_t most, bool is_shareable,
                    PoolRef* pool) {
  if (!memory_state().has_device(device)) return Status::kInvalidDevice;
  PoolRef made(new Pool(device, most, is_shareable));
  const std::lock_guard lock(pools().mutex);
  pools().all.push_back(made);
  *pool = std::move(made);
  return Status::kSuccess;
}

Status Pool::destroy(const PoolRef& pool) {
  const auto device = static_cast<std::size_t>(pool->device());
  {
    const std::lock_guard lock(pools().mutex);
    if (pools().defaults[device] == pool) return Status::kInvalidValue;
    if (pools().current[device] == pool) pools().current[device] = nullptr;
  }
  pool->trim(0);
  return Status::kSuccess;
}

PoolRef Pool::default_of(int device) {
  if (!memory_state().has_device(device) || device >= kMostDevices) {
    return nullptr;
  }
  const std::lock_guard lock(pools().mutex);
  PoolRef& pool = pools().defaults[static_cast<std::size_t>(device)];
  if (!pool) {
    pool = PoolRef(new Pool(device, 0, false));
    pools().all.push_back(pool);
  }
  return pool;
}

PoolRef Pool::current_of(int device) {
  PoolRef by_default = default_of(device);
  if (!by_default) return nullptr;
  const std::lock_guard lock(pools().mutex);
  const PoolRef& chosen = pools().current[static_cast<std::size_t>(device)];
  return chosen ? chosen : by_default;
}

Status Pool::make_current(int device, const PoolRef& pool) {
  if (!pool || pool->device() != device || pool->is_imported()) {
    return Status::kInvalidValue;
  }
  const std::lock_guard lock(pools().mutex);
  pools().current[static_cast<std::size_t>(device)] = pool;
  return Status::kSuccess;
}

PoolRef Pool::of(const void* address) {
  const auto found = Memory::get().find(address);
  if (!found || found->pool == 0) return nullptr;
  const auto all = pools().of_device(found->device);
  const auto pool = std::find_if(
      all.begin(), all.end(),
      [&found](const PoolRef& one) { return one->id() == found->pool; });
  return pool == all.end() ? nullptr : *pool;
}

Status Pool::allocate(Stream& stream, std::size_t size, const void* site,
                      void** address) {
  if (size == 0 || is_imported()) return Status::kInvalidValue;
  Work work;
  work.kind = NodeKind::kAllocate;
  work.title = {in_words("allocation", size), site};
  if (stream.capture_state() != CaptureState::kNone) {
    GraphAllocation made;
    const Status status = allocate_in_graph(size, device_, site, &made);
    if (status != Status::kSuccess) return status;
    work.body = std::move(made.allocate);
    work.parameters = GraphMemoryNode{made.address, size, device_};
    *address = made.address;
    return stream.put(std::move(work));
  }
  const std::size_t bytes = PoolBlock::bytes_of(size);
  if (size > most_ || !take(bytes, stream)) return Status::kOutOfMemory;
  PoolBlockRef block;
  Status status = PoolBlock::create(shared_from_this(), size, site, &block);
  if (status != Status::kSuccess) {
    give(bytes, {});
    return status;
  }
  void* const made = reinterpret_cast<void*>(block->allocation().base);
  work.ranges.push_back({made, size, true});
  work.body = [block](Operation&) {
    block->enter();
    return Status::kSuccess;
  };
  status = stream.put(std::move(work));
  if (status != Status::kSuccess) {
    free_pooled(made, site);
    return status;
  }
  *address = made;
  return Status::kSuccess;
}

// What frees need of a pool.
struct PoolFree {
  static void give(const PoolBlock& block, Stream& stream) {
    block.pool()->give(block.bytes(), {block.bytes(), block.left(), stream.id(),
                                       stream.weak_from_this()});
  }
  static void give_now(const PoolBlock& block) {
    block.pool()->give(block.bytes(), {});
  }
  static void synchronised(Pool& pool) {
    const std::lock_guard lock(pool.mutex_);
    pool.shrink(pool.rules_.release_threshold);
  }
};

namespace {

// Memory of another process's pool, which is closed instead.
bool is_imported(const void* address) {
  const auto found = Memory::get().find(address);
  return found && found->kind == MemoryKind::kImported && found->pool != 0 &&
         found->base == reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

Status free_in_order(Stream& stream, void* address, const void* site) {
  Work work;
  work.kind = NodeKind::kFree;
  work.title.site = site;
  if (free_in_graph(address, &work.body) == Status::kSuccess) {
    work.title.what = "free of memory of a graph";
    work.parameters = GraphMemoryNode{.address = address};
    if (stream.capture_state() == CaptureState::kNone) forget_left(address);
    return stream.put(std::move(work));
  }
  if (stream.capture_state() != CaptureState::kNone) {
    return Status::kInvalidValue;
  }
  const PoolBlockRef block = PoolBlock::at(address);
  if (!block) {
    if (!is_imported(address)) return Status::kInvalidValue;
    work.title.what = "free of another process's memory";
    work.body = [address](Operation&) { return close_imported(address); };
    return stream.put(std::move(work));
  }
  const std::size_t size = block->allocation().size;
  work.title.what = in_words("free", size);
  work.ranges.push_back({address, size, true});
  work.body = [block](Operation&) {
    block->leave();
    return Status::kSuccess;
  };
  const Status status = stream.put(std::move(work));
  if (status != Status::kSuccess) return status;
  if (!block->claim(site)) return Status::kInvalidValue;
  PoolFree::give(*block, stream);
  return Status::kSuccess;
}

bool free_pooled(void* address, const void* site) {
  const PoolBlockRef block = PoolBlock::at(address);
  if (!block && is_imported(address)) {
    return close_imported(address) == Status::kSuccess;
  }
  if (!block || !block->claim(site)) return false;
  block->leave();
  PoolFree::give_now(*block);
  return true;
}

void release_unused(int device) {
  for (const PoolRef& pool : pools().of_device(device)) {
    PoolFree::synchronised(*pool);
  }
}

void trim_pools(int device) {
  for (const PoolRef& pool : pools().of_device(device)) pool->trim(0);
}

Status Pool::set_access(int device, unsigned flags) {
  if (!memory_state().has_device(device)) return Status::kInvalidDevice;
  if (flags != 0 && flags != 1 && flags != kReadWrite) {
    return Status::kInvalidValue;
  }
  if (device == device_ && flags != kReadWrite) return Status::kInvalidValue;
  const std::lock_guard lock(mutex_);
  access_[device] = flags;
  return Status::kSuccess;
}

unsigned Pool::access(int device) const {
  const std::lock_guard lock(mutex_);
  const auto found = access_.find(device);
  if (found != access_.end()) return found->second;
  return device == device_ ? kReadWrite : 0;
}

}  // namespace eclosion::emulator
