// Races between operations: two that touch the same bytes, one of them writing,
// while neither happens before the other.
//
// Beside the arena lies a shadow with a cell for every 4 bytes: the last
// operation that wrote them and the last that read them, each with the bytes of
// the four that it touched. Whole pages that a copy or fill touches have one
// entry for the page. Only those last two are known, so a race can be missed.
//
// ACC-1 Threads of one operation never race here, nor do two atomic accesses.
// ACC-2 What is ordered by streams, events, graphs or the host is ordered
//       (ordering.h). What device code orders by polling memory is not seen.
// ACC-3 A pair of operations is told of once.
// ACC-4 Memory that is freed or allocated anew has no past.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "operation.h"

namespace eclosion::emulator {

inline constexpr std::size_t kCellBytes = 4;

// Who touched something last: the operation's number, whether it did so
// atomically, and which of the four bytes.
class Toucher {
 public:
  static constexpr std::uint32_t kAtomic = 1U << 4;
  static constexpr std::uint32_t kAllBytes = 0xf;
  static constexpr unsigned kNumberShift = 5;

  static std::uint32_t of(std::uint32_t number, bool is_atomic,
                          std::uint32_t bytes) noexcept {
    return number << kNumberShift | (is_atomic ? kAtomic : 0) | bytes;
  }
  static std::uint32_t number_of(std::uint32_t word) noexcept {
    return word >> kNumberShift;
  }
  // Whether `word` says already what `wanted` would add to it.
  static bool has(std::uint32_t word, std::uint32_t wanted) noexcept {
    return ((word ^ wanted) & ~kAllBytes) == 0 && (wanted & ~word) == 0;
  }
};

struct AccessCell {
  std::atomic<std::uint32_t> writer;
  std::atomic<std::uint32_t> reader;
};

struct AccessShadow {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  AccessCell* cells = nullptr;
};
// Of the arena; empty until the first operation has begun.
extern AccessShadow access_shadow;

// The same for an access of which some cell is not as it leaves it.
void note_new_access(const Operation& by, std::uintptr_t address,
                     std::size_t size, bool is_write, bool is_atomic);

// The same for bytes of one cell. `own`: what would be noted of them.
void note_new_cell(const Operation& by, std::uintptr_t address,
                   std::uint32_t own, bool is_write);

// The bytes of a cell, which begins at `cell`, that [begin, end) has.
inline std::uint32_t bytes_of_cell(std::uintptr_t cell, std::uintptr_t begin,
                                   std::uintptr_t end) noexcept {
  const std::uintptr_t first = std::max(cell, begin) - cell;
  const std::uintptr_t past = std::min(cell + kCellBytes, end) - cell;
  return (1U << past) - (1U << first);
}

// An access of device code.
inline void note_access(const Operation& by, std::uintptr_t address,
                        unsigned size, bool is_write, bool is_atomic) {
  const std::uintptr_t begin = address - access_shadow.base;
  if (begin >= access_shadow.size) return;
  const std::uintptr_t end = begin + size;
  for (std::uintptr_t at = begin & ~(kCellBytes - 1); at < end;
       at += kCellBytes) {
    const AccessCell& cell = access_shadow.cells[at / kCellBytes];
    const std::uint32_t writer = cell.writer.load(std::memory_order_relaxed);
    const std::uint32_t own =
        Toucher::of(by.number(), is_atomic, bytes_of_cell(at, begin, end));
    if (Toucher::has(writer, own)) continue;
    if (is_write ||
        !Toucher::has(cell.reader.load(std::memory_order_relaxed), own))
      return note_new_access(by, address, size, is_write, is_atomic);
  }
}

// An operation begins: what it says it reads and writes is noted, and what it
// will touch can be told as its. Every one with a body, before its body.
void begin_accesses(const Operation& by);

// Memory is freed, or allocated: nobody has touched it. While it is mapped.
void forget_accesses(const void* base, std::size_t size);

}  // namespace eclosion::emulator
