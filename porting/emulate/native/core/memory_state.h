// What the parts of the memory share: the arena, what lies in it, and the
// account of each device.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "arena.h"
#include "free_ranges.h"
#include "ledger.h"
#include "memory.h"

namespace eclosion::emulator {

// An allocation, and what has to be undone when it is freed.
struct Record {
  Allocation allocation;
  // Addresses taken: more than the size, by what may not be used behind it.
  std::uintptr_t span_base = 0;
  std::size_t span = 0;
  bool is_chunk = false;  // of a slab
  bool owns_file = false;
  std::size_t charge = 0;              // to the device
  std::size_t filled = 0;              // counted in MemoryState::filled
  std::byte* alias = nullptr;          // a second mapping of the same bytes
  std::uint32_t slot = Ledger::kNone;  // where other processes read of it
};

// Allocations by address; no two overlap.
class Records {
 public:
  Record& add(const Record& record);
  void remove(std::uintptr_t base) { by_base_.erase(base); }
  // The record whose bytes an address is one of.
  const Record* find(std::uintptr_t address) const;
  Record* find(std::uintptr_t address);
  // The record that starts at an address.
  Record* at(std::uintptr_t base);
  bool overlaps(std::uintptr_t base, std::size_t size) const;
  const std::map<std::uintptr_t, Record>& all() const noexcept {
    return by_base_;
  }

 private:
  std::map<std::uintptr_t, Record> by_base_;
};

// What was freed: the newest, for findings; the addresses, until they are old
// enough to be given again.
class Freed {
 public:
  static constexpr std::size_t kHistory = 4096;
  // Addresses rest until so many allocations and bytes were freed after them...
  static constexpr std::size_t kRestCount = 1024;
  static constexpr std::size_t kRestBytes = std::size_t{64} << 20;
  // ...or so many allocations, whatever their size.
  static constexpr std::size_t kMostResting = 65536;

  struct Range {
    std::uintptr_t base = 0;
    std::size_t size = 0;
    bool is_chunk = false;
  };

  void remember(const Allocation& allocation, const void* freed_at);
  std::optional<Allocation> find(std::uintptr_t address,
                                 const void** freed_at) const;
  void rest(const Range& range);
  // The next range that has rested; `at_once`: the oldest that there is.
  std::optional<Range> wake(bool at_once);

 private:
  struct Entry {
    Allocation allocation;
    const void* freed_at = nullptr;
  };
  std::deque<Entry> history_;
  std::deque<Range> resting_;
  std::size_t resting_bytes_ = 0;
};

struct MemoryState {
  MemoryState();

  // Of this process, in the names of its files.
  const std::uint64_t nonce;
  const Arena arena;
  Ledger ledger;
  // A child of fork() shares the memory of its parent's devices, so it may only
  // look at it, as the vendors' runtimes do not work there either.
  std::atomic<bool> is_forked = false;
  // Bytes of large allocations that were filled, see place().
  std::atomic<std::size_t> filled = 0;

  mutable std::shared_mutex mutex;  // guards all below
  FreeRanges pages;                 // of the arena
  FreeRanges chunks;                // of slabs
  Records live;                     // in the arena
  Records registered;               // outside of it
  Freed freed;
  std::vector<std::size_t> used;  // bytes, by device
  std::uint64_t next_id = 1;
  std::size_t own_files = 0;
  std::size_t most_own_files = 0;

  // Whether so many bytes of a large allocation are to be filled; they count
  // until unfill().
  bool fill(std::size_t bytes);
  void unfill(std::size_t bytes);

  // The caller holds the mutex of all of these.
  bool has_device(int device) const noexcept;
  bool charge(int device, std::size_t bytes);  // false: out of memory
  void refund(int device, std::size_t bytes);
  // Whole pages; the last of them is for nobody to use.
  std::optional<std::uintptr_t> take_pages(std::size_t size,
                                           std::size_t alignment);
  std::optional<std::uintptr_t> take_chunk(std::size_t size);
  void give_back(const Freed::Range& range);
  // What a finding and find() may know of it no more.
  void forget(const Record& record, const void* freed_at);

 private:
  bool add_slab();
  void wake_rested();
};

MemoryState& memory_state();

}  // namespace eclosion::emulator
