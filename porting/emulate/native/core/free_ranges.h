// Ranges of addresses that are free: the smallest that fits is taken, and
// neighbours become one again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace eclosion::emulator {

class FreeRanges {
 public:
  struct Range {
    std::uintptr_t base = 0;
    std::size_t size = 0;
  };

  // Give a range that is not free; returns the free range that it is now in.
  Range give(std::uintptr_t base, std::size_t size);
  // The start of a range of `size` bytes that is free no more.
  std::optional<std::uintptr_t> take(std::size_t size, std::size_t alignment);
  // The same at a given place; false: not all of it is free.
  bool take_at(std::uintptr_t base, std::size_t size);

  std::size_t count() const noexcept { return by_base_.size(); }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  using ByBase = std::map<std::uintptr_t, std::size_t>;

  void insert(std::uintptr_t base, std::size_t size);
  void erase(ByBase::iterator range);
  void cut(ByBase::iterator range, std::uintptr_t base, std::size_t size);

  ByBase by_base_;
  std::set<std::pair<std::size_t, std::uintptr_t>> by_size_;
  std::size_t bytes_ = 0;
};

}  // namespace eclosion::emulator
