// What the parts of the memory share.
#include "memory_state.h"

#include <pthread.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "accesses.h"
#include "config.h"
#include "memory_file.h"
#include "shadow.h"
#include "trace.h"

namespace eclosion::emulator {

namespace {

constexpr std::size_t kSlab = std::size_t{2} << 20;

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) !=
      static_cast<ssize_t>(sizeof(number))) {
    number = reinterpret_cast<std::uintptr_t>(&number);
  }
  return number | 1;
}

// Files of allocations leave the program most of its descriptors; what has none
// of its own lies in the arena's file.
std::size_t most_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::min<std::size_t>(limit.rlim_cur / 4, 16384);
}

}  // namespace

Record& Records::add(const Record& record) {
  return by_base_[record.allocation.base] = record;
}

const Record* Records::find(std::uintptr_t address) const {
  const auto after = by_base_.upper_bound(address);
  if (after == by_base_.begin()) return nullptr;
  const Record& record = std::prev(after)->second;
  const Allocation& allocation = record.allocation;
  return address - allocation.base < allocation.size ? &record : nullptr;
}

Record* Records::find(std::uintptr_t address) {
  return const_cast<Record*>(std::as_const(*this).find(address));
}

Record* Records::at(std::uintptr_t base) {
  const auto found = by_base_.find(base);
  return found == by_base_.end() ? nullptr : &found->second;
}

bool Records::overlaps(std::uintptr_t base, std::size_t size) const {
  if (find(base) != nullptr) return true;
  const auto next = by_base_.lower_bound(base);
  return next != by_base_.end() && next->first - base < size;
}

void Freed::remember(const Allocation& allocation, const void* freed_at) {
  history_.push_back({allocation, freed_at});
  if (history_.size() > kHistory) history_.pop_front();
}

std::optional<Allocation> Freed::find(std::uintptr_t address,
                                      const void** freed_at) const {
  for (auto i = history_.rbegin(); i != history_.rend(); ++i) {
    if (address - i->allocation.base >= i->allocation.size) continue;
    if (freed_at != nullptr) *freed_at = i->freed_at;
    return i->allocation;
  }
  return std::nullopt;
}

void Freed::rest(const Range& range) {
  resting_.push_back(range);
  resting_bytes_ += range.size;
}

std::optional<Freed::Range> Freed::wake(bool at_once) {
  if (resting_.empty()) return std::nullopt;
  const Range oldest = resting_.front();
  const bool has_rested =
      resting_.size() > kRestCount && resting_bytes_ - oldest.size > kRestBytes;
  if (!at_once && !has_rested && resting_.size() <= kMostResting) {
    return std::nullopt;
  }
  resting_.pop_front();
  resting_bytes_ -= oldest.size;
  return oldest;
}

MemoryState::MemoryState()
    : nonce(random_number()), arena(nonce), ledger(arena.file()) {
  const Config& config = Config::get();
  used.resize(static_cast<std::size_t>(std::max(config.devices, 0)));
  most_own_files = most_files();
  ::pthread_atfork(nullptr, nullptr, [] { memory_state().is_forked = true; });
  if (arena.size() == 0) {
    std::fprintf(stderr, "porting emulate: %s\n", arena.complaint().c_str());
    return;
  }
  pages.give(arena.base() + Ledger::kBytes, arena.size() - Ledger::kBytes);
}

bool MemoryState::fill(std::size_t bytes) {
  if (bytes > kMostFilled) return false;
  if (filled.fetch_add(bytes) + bytes <= kMostFilledInAll) return true;
  unfill(bytes);
  return false;
}

void MemoryState::unfill(std::size_t bytes) { filled -= bytes; }

bool MemoryState::has_device(int device) const noexcept {
  return device >= 0 && static_cast<std::size_t>(device) < used.size();
}

bool MemoryState::charge(int device, std::size_t bytes) {
  if (!has_device(device)) return true;
  std::size_t& of_device = used[static_cast<std::size_t>(device)];
  if (bytes > Config::get().memory - of_device) return false;
  of_device += bytes;
  return true;
}

void MemoryState::refund(int device, std::size_t bytes) {
  if (has_device(device)) used[static_cast<std::size_t>(device)] -= bytes;
}

void MemoryState::give_back(const Freed::Range& range) {
  if (!range.is_chunk) {
    pages.give(range.base, range.size);
    return;
  }
  const FreeRanges::Range free = chunks.give(range.base, range.size);
  const std::uintptr_t first = align_up(free.base, kSlab);
  const std::uintptr_t end = align_down(free.base + free.size, kSlab);
  for (std::uintptr_t slab = first; slab < end; slab += kSlab) {
    chunks.take_at(slab, kSlab);
    arena.decommit_own(slab, kSlab);
    pages.give(slab, kSlab);
  }
}

void MemoryState::wake_rested() {
  while (const auto range = freed.wake(false)) give_back(*range);
}

std::optional<std::uintptr_t> MemoryState::take_pages(std::size_t size,
                                                      std::size_t alignment) {
  wake_rested();
  if (size > arena.size()) return std::nullopt;
  auto taken = pages.take(size, alignment);
  while (!taken) {
    const auto range = freed.wake(true);
    if (!range) break;
    give_back(*range);
    taken = pages.take(size, alignment);
  }
  return taken;
}

bool MemoryState::add_slab() {
  const auto slab = take_pages(kSlab, kSlab);
  if (!slab) return false;
  if (!arena.commit(*slab, kSlab, arena.file(), arena.offset_of(*slab))) {
    pages.give(*slab, kSlab);
    return false;
  }
  chunks.give(*slab, kSlab);
  return true;
}

std::optional<std::uintptr_t> MemoryState::take_chunk(std::size_t size) {
  wake_rested();
  if (const auto taken = chunks.take(size, kGranule)) return taken;
  if (!add_slab()) return std::nullopt;
  return chunks.take(size, kGranule);
}

void MemoryState::forget(const Record& record, const void* freed_at) {
  // While it is mapped: closed pages are opened.
  if (record.allocation.pool == 0) trace_buffer(record.allocation);
  forget_accesses(reinterpret_cast<const void*>(record.allocation.base),
                  record.allocation.size);
  arena.forbid(record.allocation.base, record.allocation.size);
  refund(record.allocation.device, record.charge);
  freed.remember(record.allocation, freed_at);
  if (record.slot != Ledger::kNone) ledger.clear(record.slot);
  live.remove(record.allocation.base);
}

MemoryState& memory_state() {
  static MemoryState* const state = new MemoryState;  // outlives all threads
  return *state;
}

}  // namespace eclosion::emulator
