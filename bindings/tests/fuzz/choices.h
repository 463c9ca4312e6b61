// The input of a fuzz target, read as a row of choices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fuzz {

// Reads the input from its front; zeros when it is used up.
class Choices {
 public:
  explicit Choices(std::span<const std::byte> data) : data_(data) {}

  [[nodiscard]] bool empty() const { return data_.empty(); }
  std::size_t below(std::size_t limit) { return number() % limit; }
  bool yes() { return (next() & 1) != 0; }
  std::uint8_t next() {
    if (data_.empty()) return 0;
    const std::byte value = data_.front();
    data_ = data_.subspan(1);
    return std::to_integer<std::uint8_t>(value);
  }
  // Small numbers are more frequent, and every number is possible.
  std::uint64_t number() {
    std::uint64_t value = next();
    for (std::uint64_t more = value >> 5; more != 0; --more) {
      value = value << 8 | next();
    }
    return value;
  }
  // At most so many bytes, fewer when there are not as many.
  std::span<const std::byte> take(std::size_t most) {
    const auto taken = data_.first(std::min(most, data_.size()));
    data_ = data_.subspan(taken.size());
    return taken;
  }
  std::span<const std::byte> rest() { return take(data_.size()); }

 private:
  std::span<const std::byte> data_;
};

}  // namespace fuzz
