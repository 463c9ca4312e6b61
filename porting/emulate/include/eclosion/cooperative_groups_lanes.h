// What groups within a wave are made of: sets of lanes, ranks in them, and
// values that move between ranks.
#pragma once

#include "wave.h"

namespace eclosion_device {

// The lanes of this wave that the block has threads for.
ECLOSION_FUNCTION Word existing_lanes() {
  const Lane* const self = lane();
  const unsigned threads =
      self->block_dim[0] * self->block_dim[1] * self->block_dim[2];
  const unsigned left = threads - self->wave * self->wave_size;
  const unsigned count = left < self->wave_size ? left : self->wave_size;
  return ~Word{0} >> (64 - count);
}

// Those of the aligned part of `size` lanes that the caller is in.
ECLOSION_FUNCTION Word lanes_of_part(unsigned size) {
  const unsigned first = lane_in_wave() & ~(size - 1);
  return existing_lanes() & (~Word{0} >> (64 - size)) << first;
}

ECLOSION_FUNCTION unsigned count_of(Word lanes) {
  return (unsigned)__builtin_popcountll(lanes);
}

ECLOSION_FUNCTION unsigned rank_in(Word lanes) {
  return count_of(lanes & lanes_below());
}

// The lane with a rank; there has to be one.
ECLOSION_FUNCTION int lane_with(Word lanes, unsigned rank) {
  for (; rank > 0; --rank) lanes &= lanes - 1;
  return __builtin_ctzll(lanes);
}

// The members with the `size` ranks around the caller's, from a multiple of it.
ECLOSION_FUNCTION Word ranks_around(Word lanes, unsigned size) {
  const unsigned first = rank_in(lanes) & ~(size - 1);
  Word part = 0;
  for (unsigned rank = 0; lanes != 0; ++rank, lanes &= lanes - 1) {
    if (rank >= first && rank < first + size) part |= lanes & -lanes;
  }
  return part;
}

// A mask of lanes as one of ranks in a group.
ECLOSION_FUNCTION Word packed(Word mask, Word group) {
  Word result = 0;
  for (unsigned rank = 0; group != 0; ++rank, group &= group - 1) {
    if ((mask & group & -group) != 0) result |= Word{1} << rank;
  }
  return result;
}

// A value of any size from another lane of a group, whose lanes all come.
template <typename T>
ECLOSION_FUNCTION T moved(const T& value, int from, Word group) {
  static_assert(__is_trivially_copyable(T), "values are moved by their bytes");
  constexpr unsigned kWords = (sizeof(T) + sizeof(Word) - 1) / sizeof(Word);
  Word words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (Word& word : words) {
    word = eclosion_wave_shuffle(ECLOSION_SHUFFLE_INDEX, word, from,
                                 (int)wave_size(), group);
  }
  T result = value;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

template <typename T>
struct Unqualified {
  using type = __remove_cv(__remove_reference_t(T));
};
template <typename T>
using Plain = typename Unqualified<T>::type;

}  // namespace eclosion_device
