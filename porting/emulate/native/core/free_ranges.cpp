// Ranges of addresses that are free.
#include "free_ranges.h"

#include <iterator>

namespace eclosion::emulator {

void FreeRanges::insert(std::uintptr_t base, std::size_t size) {
  if (size == 0) return;
  by_base_.emplace(base, size);
  by_size_.emplace(size, base);
  bytes_ += size;
}

void FreeRanges::erase(ByBase::iterator range) {
  by_size_.erase({range->second, range->first});
  bytes_ -= range->second;
  by_base_.erase(range);
}

FreeRanges::Range FreeRanges::give(std::uintptr_t base, std::size_t size) {
  const auto after = by_base_.lower_bound(base);
  if (after != by_base_.end() && after->first == base + size) {
    size += after->second;
    erase(after);
  }
  const auto next = by_base_.lower_bound(base);
  if (next != by_base_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == base) {
      base = before->first;
      size += before->second;
      erase(before);
    }
  }
  insert(base, size);
  return {base, size};
}

// Leave what lies before and behind [base, base + size) in a free range.
void FreeRanges::cut(ByBase::iterator range, std::uintptr_t base,
                     std::size_t size) {
  const std::uintptr_t start = range->first;
  const std::uintptr_t end = start + range->second;
  erase(range);
  insert(start, base - start);
  insert(base + size, end - (base + size));
}

std::optional<std::uintptr_t> FreeRanges::take(std::size_t size,
                                               std::size_t alignment) {
  for (auto i = by_size_.lower_bound({size, 0}); i != by_size_.end(); ++i) {
    const auto [length, start] = *i;
    const std::uintptr_t base = (start + alignment - 1) / alignment * alignment;
    if (base - start > length - size) continue;
    cut(by_base_.find(start), base, size);
    return base;
  }
  return std::nullopt;
}

bool FreeRanges::take_at(std::uintptr_t base, std::size_t size) {
  const auto after = by_base_.upper_bound(base);
  if (after == by_base_.begin()) return false;
  const auto range = std::prev(after);
  const std::size_t skipped = base - range->first;
  if (skipped > range->second || range->second - skipped < size) return false;
  cut(range, base, size);
  return true;
}

}  // namespace eclosion::emulator
