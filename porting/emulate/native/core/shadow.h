// Which bytes of the arena may be used: the arithmetic of its shadow.
//
// One entry per granule says how many bytes of it may be used, counted from its
// start. Allocations start at a granule, so that is all there is to know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "memory.h"

namespace eclosion::emulator {

constexpr std::size_t align_down(std::size_t value, std::size_t alignment) {
  return value - value % alignment;
}

// The caller knows that the sum does not wrap.
constexpr std::size_t align_up(std::size_t value, std::size_t alignment) {
  return align_down(value + alignment - 1, alignment);
}

// Bytes from the start of `offset`'s granule are as before; [offset, offset +
// size) may be used, the rest of the last granule may not. `offset` is a
// multiple of kGranule.
inline void shadow_allow(std::uint16_t* shadow, std::size_t offset,
                         std::size_t size) {
  std::uint16_t* const first = shadow + offset / kGranule;
  const std::size_t whole = size / kGranule;
  std::fill_n(first, whole, static_cast<std::uint16_t>(kGranule));
  if (size % kGranule != 0) {
    first[whole] = static_cast<std::uint16_t>(size % kGranule);
  }
}

inline void shadow_forbid(std::uint16_t* shadow, std::size_t offset,
                          std::size_t size) {
  const std::size_t granules = (size + kGranule - 1) / kGranule;
  std::fill_n(shadow + offset / kGranule, granules, std::uint16_t{0});
}

// Whether all of [offset, offset + size) may be used; size is at least 1.
inline bool shadow_allows(const std::uint16_t* shadow, std::size_t offset,
                          std::size_t size) {
  const std::size_t last = offset + size - 1;
  for (std::size_t i = offset / kGranule; i < last / kGranule; ++i) {
    if (shadow[i] != kGranule) return false;
  }
  return last % kGranule < shadow[last / kGranule];
}

}  // namespace eclosion::emulator
