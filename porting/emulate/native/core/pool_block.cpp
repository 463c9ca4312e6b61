// One allocation of a pool.
#include "pool_block.h"

#include <map>
#include <utility>

#include "accesses.h"
#include "placement.h"
#include "shadow.h"
#include "trace.h"

namespace eclosion::emulator {

namespace {

struct Blocks {
  std::mutex mutex;  // taken before the MemoryState's
  std::map<std::uintptr_t, PoolBlockRef> by_base;
};

Blocks& blocks() {
  static Blocks* const all = new Blocks;  // outlives all threads
  return *all;
}

}  // namespace

std::size_t PoolBlock::bytes_of(std::size_t size) {
  return align_up(size, kGranule);
}

Status PoolBlock::create(PoolRef pool, std::size_t size, const void* site,
                         PoolBlockRef* block) {
  MemoryState& state = memory_state();
  auto made = std::make_shared<PoolBlock>(std::move(pool));
  made->record_.allocation = {.size = size,
                              .kind = MemoryKind::kDevice,
                              .device = made->pool_->device(),
                              .site = site,
                              .pool = made->pool_->id(),
                              .is_ready = false};
  const Status status = place(state, made->record_);
  if (status != Status::kSuccess) {
    *made->left_ = true;  // there is nothing to give back
    return status;
  }
  const std::lock_guard lock(blocks().mutex);
  blocks().by_base[made->allocation().base] = made;
  const std::lock_guard state_lock(state.mutex);
  state.live.add(made->record_);
  *block = std::move(made);
  return Status::kSuccess;
}

PoolBlockRef PoolBlock::at(const void* address) {
  const std::lock_guard lock(blocks().mutex);
  const auto found =
      blocks().by_base.find(reinterpret_cast<std::uintptr_t>(address));
  return found == blocks().by_base.end() ? nullptr : found->second;
}

void PoolBlock::enter() {
  const std::lock_guard lock(mutex_);
  if (*left_) return;
  MemoryState& state = memory_state();
  const std::lock_guard state_lock(state.mutex);
  state.arena.allow(allocation().base, allocation().size);
  record_.allocation.is_ready = true;
  Record* const live = state.live.at(allocation().base);
  if (live != nullptr && live->allocation.id == allocation().id) {
    live->allocation.is_ready = true;
  }
}

bool PoolBlock::claim(const void* site) {
  const std::lock_guard lock(blocks().mutex);
  if (blocks().by_base.erase(allocation().base) == 0) return false;
  MemoryState& state = memory_state();
  const std::lock_guard state_lock(state.mutex);
  Record* const live = state.live.at(allocation().base);
  if (live == nullptr || live->allocation.id != allocation().id) return true;
  if (live->slot != Ledger::kNone) state.ledger.clear(live->slot);
  state.freed.remember(live->allocation, site);
  state.live.remove(allocation().base);
  return true;
}

void PoolBlock::leave() {
  const std::lock_guard lock(mutex_);
  if (*left_) return;
  trace_buffer(allocation());
  MemoryState& state = memory_state();
  {
    const std::lock_guard state_lock(state.mutex);
    state.arena.forbid(allocation().base, allocation().size);
  }
  forget_accesses(reinterpret_cast<const void*>(allocation().base),
                  allocation().size);
  dismiss(state, record_);
  *left_ = true;
}

}  // namespace eclosion::emulator
