// The bit mixer of checksums, for the host and for devices alike.
#pragma once

#include <cstdint>

// The compilers of devices want to be told what runs there.
#ifndef ECLOSION_DEVICE
#define ECLOSION_DEVICE
#endif

namespace eclosion {

// 2^64 divided by the golden ratio, made odd.
inline constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// 2014: the finalizer of SplitMix64.
ECLOSION_DEVICE constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace eclosion
