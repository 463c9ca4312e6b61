// The part of the check that is all for nearly every access: it lies where it
// may, and what is known of the bytes is plainly in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "access_check.h"
#include "block.h"
#include "memory.h"

namespace eclosion::emulator {

enum class AccessKind { kRead, kWrite, kAtomic };

template <AccessKind kKind>
[[gnu::always_inline]] inline bool note_usual(SharedCell& cell,
                                              const Author& author) noexcept {
  if constexpr (kKind == AccessKind::kRead) {
    return note_usual_read(cell, author);
  } else if constexpr (kKind == AccessKind::kWrite) {
    return note_usual_write(cell, author);
  } else {
    return note_usual_atomic(cell, author);
  }
}

// Parts of a cell are left to check_access() until its bytes have records of
// their own.
template <unsigned kSize, AccessKind kKind>
[[gnu::always_inline]] inline bool is_usual_in_shared(
    const Checks& checks, std::size_t offset) noexcept {
  constexpr bool kIsPart = kSize < kSharedCellBytes;
  SharedCell* cell = checks.shared_cells + offset / kSharedCellBytes;
  if (kIsPart) {
    if (cell->write != SharedRecord::kBytesDiffer) return false;
    cell = checks.shared_bytes + offset;
  }
  constexpr unsigned kCells = kIsPart ? kSize : kSize / kSharedCellBytes;
  for (unsigned done = 0; done < kCells; ++done) {
    if (!note_usual<kKind>(cell[done], checks.author)) return false;
  }
  return true;
}

// Whether a record says already what `own` would add to it.
template <bool kIsPart>
[[gnu::always_inline]] inline bool has_noted(
    const std::atomic<std::uint32_t>& record, std::uint32_t own) noexcept {
  const std::uint32_t noted = record.load(std::memory_order_relaxed);
  return kIsPart ? Toucher::has(noted, own) : noted == own;
}

// Note an access of the operation, of which nearly always the same is noted
// already.
template <unsigned kSize, AccessKind kKind>
[[gnu::always_inline]] inline void note_in_arena(const Checks& checks,
                                                 std::uintptr_t address) {
  constexpr bool kIsPart = kSize < kCellBytes;
  constexpr bool kIsWrite = kKind != AccessKind::kRead;
  const std::uintptr_t offset = address - checks.arena;
  const std::uint32_t bytes =
      kIsPart ? ((1U << kSize) - 1) << offset % kCellBytes : Toucher::kAllBytes;
  const std::uint32_t own =
      checks.toucher | bytes |
      (kKind == AccessKind::kAtomic ? Toucher::kAtomic : 0);
  const AccessCell* cell = checks.cells + offset / kCellBytes;
  for (unsigned done = 0; done < kSize; done += kCellBytes, ++cell) {
    if (has_noted<kIsPart>(cell->writer, own)) continue;
    if (!kIsWrite && has_noted<kIsPart>(cell->reader, own)) continue;
    note_new_cell(*checks.operation, address + done, own, kIsWrite);
  }
}

// Note an access that is in order; false: check_access() has to look at it.
template <unsigned kSize, AccessKind kKind>
[[gnu::always_inline]] inline bool is_usual(std::uintptr_t address) {
  constexpr std::uintptr_t kMisaligned = std::min(kSize, 8U) - 1;
  const Checks& checks = current.checks;
  // Shared memory begins at a page, so one mask tells both.
  const std::uintptr_t in_shared = address - checks.shared;
  if ((in_shared & ~(SharedSegment::kBytes - 1 - kMisaligned)) == 0) {
    return is_usual_in_shared<kSize, kKind>(checks, in_shared);
  }
  if ((address & kMisaligned) != 0) return false;
  const std::uintptr_t offset = address - checks.arena;
  if (offset >= checks.arena_size) {
    return address - current.stacks < current.stacks_size;
  }
  if (offset % kGranule + kSize > checks.usable[offset / kGranule]) {
    return false;
  }
  note_in_arena<kSize, kKind>(checks, address);
  return true;
}

}  // namespace eclosion::emulator
