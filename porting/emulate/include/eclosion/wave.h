// Operations of a wave over values of any trivially copyable type of 1 to 16
// bytes: shuffles, votes and reductions.
//
// Both vendors' rules for the lane that a shuffle reads are the same: PTX ISA,
// "shfl.sync", and amd_warp_functions.h of HIP. A lane outside of the part of
// `width` lanes is not read: the caller keeps its own value, except that an
// index is taken modulo the width and that xor may reach into earlier parts.
#pragma once

#include "indices.h"
#include "qualifiers.h"

namespace eclosion_device {

using Word = unsigned long long;

// The bits of a value of up to 8 bytes, the rest 0.
template <typename T>
ECLOSION_FUNCTION Word bits_of(const T& value) {
  static_assert(sizeof(T) <= sizeof(Word), "a value of at most 8 bytes");
  Word bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename T>
ECLOSION_FUNCTION T from_bits(Word bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

// The lane that the caller reads.
ECLOSION_FUNCTION int source_lane(int kind, int argument, int width) {
  const int self = (int)lane_in_wave();
  const int first = self & ~(width - 1);
  switch (kind) {
    case ECLOSION_SHUFFLE_INDEX:
      return first + (argument & (width - 1));
    case ECLOSION_SHUFFLE_UP:
      return self - argument < first ? self : self - argument;
    case ECLOSION_SHUFFLE_DOWN:
      return (self & (width - 1)) + argument >= width ? self : self + argument;
    default:
      return (self ^ argument) >= first + width ? self : self ^ argument;
  }
}

// The value of another lane. `mask`: 0 for the vendor without masks.
template <typename T>
ECLOSION_FUNCTION T shuffle(int kind, T value, int argument, int width,
                            Word mask) {
  static_assert(sizeof(T) <= 2 * sizeof(Word), "a value of at most 16 bytes");
  const int lanes = (int)wave_size();
  const int from = source_lane(kind, argument, width < lanes ? width : lanes);
  if constexpr (sizeof(T) <= sizeof(Word)) {
    return from_bits<T>(eclosion_wave_shuffle(
        ECLOSION_SHUFFLE_INDEX, bits_of(value), from, lanes, mask));
  } else {
    Word halves[2] = {0, 0};
    __builtin_memcpy(halves, &value, sizeof(T));
    for (Word& half : halves) {
      half = eclosion_wave_shuffle(ECLOSION_SHUFFLE_INDEX, half, from, lanes,
                                   mask);
    }
    __builtin_memcpy(&value, halves, sizeof(T));
    return value;
  }
}

ECLOSION_FUNCTION Word vote(int kind, Word value, Word mask) {
  return eclosion_wave_vote(kind, value, mask);
}

ECLOSION_FUNCTION Word ballot(bool predicate, Word mask) {
  return vote(ECLOSION_VOTE_BALLOT, predicate, mask);
}

template <typename T>
ECLOSION_FUNCTION Word match_any(T value, Word mask) {
  return vote(ECLOSION_VOTE_MATCH_ANY, bits_of(value), mask);
}

// The lanes that take part if all have one value, else 0; `is_same` says which.
template <typename T>
ECLOSION_FUNCTION Word match_all(T value, Word mask, int* is_same) {
  const Word lanes = vote(ECLOSION_VOTE_MATCH_ALL, bits_of(value), mask);
  *is_same = lanes != 0;
  return lanes;
}

// Integers are widened with their sign, so 64 bits hold any result.
template <typename T>
ECLOSION_FUNCTION T reduce(int kind, T value, Word mask) {
  return (T)vote(kind, (Word)(long long)value, mask);
}

template <typename T>
ECLOSION_FUNCTION T reduce_min(T value, Word mask) {
  constexpr bool kSigned = T(-1) < T(0);
  return reduce(kSigned ? ECLOSION_VOTE_MIN : ECLOSION_VOTE_UMIN, value, mask);
}

template <typename T>
ECLOSION_FUNCTION T reduce_max(T value, Word mask) {
  constexpr bool kSigned = T(-1) < T(0);
  return reduce(kSigned ? ECLOSION_VOTE_MAX : ECLOSION_VOTE_UMAX, value, mask);
}

// Lanes of the mask below, above and at the caller.
ECLOSION_FUNCTION Word lanes_below() { return (Word{1} << lane_in_wave()) - 1; }

}  // namespace eclosion_device
