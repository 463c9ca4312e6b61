// Shuffles, votes, matches and reductions of a warp under CUDA's names.
#pragma once

#include "../eclosion/wave.h"

// The lanes of a warp. What it is compiled for, since device code may not tell
// it from a number.
#ifndef ECLOSION_WAVE_SIZE
#define ECLOSION_WAVE_SIZE 32
#endif
static const __attribute__((device, unused)) int warpSize = ECLOSION_WAVE_SIZE;

#define ECLOSION_SHUFFLES(Type)                                                \
  ECLOSION_FUNCTION Type __shfl_sync(unsigned mask, Type value, int lane,      \
                                     int width = warpSize) {                   \
    return eclosion_device::shuffle(ECLOSION_SHUFFLE_INDEX, value, lane,       \
                                    width, mask);                              \
  }                                                                            \
  ECLOSION_FUNCTION Type __shfl_up_sync(                                       \
      unsigned mask, Type value, unsigned delta, int width = warpSize) {       \
    return eclosion_device::shuffle(ECLOSION_SHUFFLE_UP, value, (int)delta,    \
                                    width, mask);                              \
  }                                                                            \
  ECLOSION_FUNCTION Type __shfl_down_sync(                                     \
      unsigned mask, Type value, unsigned delta, int width = warpSize) {       \
    return eclosion_device::shuffle(ECLOSION_SHUFFLE_DOWN, value, (int)delta,  \
                                    width, mask);                              \
  }                                                                            \
  ECLOSION_FUNCTION Type __shfl_xor_sync(unsigned mask, Type value, int lanes, \
                                         int width = warpSize) {               \
    return eclosion_device::shuffle(ECLOSION_SHUFFLE_XOR, value, lanes, width, \
                                    mask);                                     \
  }

ECLOSION_SHUFFLES(int)
ECLOSION_SHUFFLES(unsigned)
ECLOSION_SHUFFLES(long)
ECLOSION_SHUFFLES(unsigned long)
ECLOSION_SHUFFLES(long long)
ECLOSION_SHUFFLES(unsigned long long)
ECLOSION_SHUFFLES(float)
ECLOSION_SHUFFLES(double)
// ECLOSION_SHUFFLES stays for the headers of narrow types, in which it is used.

ECLOSION_FUNCTION void __syncwarp(unsigned mask = 0xFFFFFFFFU) {
  eclosion_device::vote(ECLOSION_VOTE_SYNC, 0, mask);
}
ECLOSION_FUNCTION unsigned __activemask() {
  return (unsigned)eclosion_device::vote(ECLOSION_VOTE_ACTIVE, 0, 0);
}
ECLOSION_FUNCTION unsigned __ballot_sync(unsigned mask, int predicate) {
  return (unsigned)eclosion_device::ballot(predicate != 0, mask);
}
ECLOSION_FUNCTION int __any_sync(unsigned mask, int predicate) {
  return eclosion_device::vote(ECLOSION_VOTE_ANY, predicate != 0, mask) != 0;
}
ECLOSION_FUNCTION int __all_sync(unsigned mask, int predicate) {
  return eclosion_device::vote(ECLOSION_VOTE_ALL, predicate != 0, mask) != 0;
}
ECLOSION_FUNCTION int __uni_sync(unsigned mask, int predicate) {
  return eclosion_device::vote(ECLOSION_VOTE_UNIFORM, predicate != 0, mask) !=
         0;
}

#define ECLOSION_MATCHES(Type)                                             \
  ECLOSION_FUNCTION unsigned __match_any_sync(unsigned mask, Type value) { \
    return (unsigned)eclosion_device::match_any(value, mask);              \
  }                                                                        \
  ECLOSION_FUNCTION unsigned __match_all_sync(unsigned mask, Type value,   \
                                              int* is_same) {              \
    return (unsigned)eclosion_device::match_all(value, mask, is_same);     \
  }
ECLOSION_MATCHES(int)
ECLOSION_MATCHES(unsigned)
ECLOSION_MATCHES(long)
ECLOSION_MATCHES(unsigned long)
ECLOSION_MATCHES(long long)
ECLOSION_MATCHES(unsigned long long)
ECLOSION_MATCHES(float)
ECLOSION_MATCHES(double)
#undef ECLOSION_MATCHES

#define ECLOSION_REDUCTIONS(Type)                                       \
  ECLOSION_FUNCTION Type __reduce_add_sync(unsigned mask, Type value) { \
    return eclosion_device::reduce(ECLOSION_VOTE_ADD, value, mask);     \
  }                                                                     \
  ECLOSION_FUNCTION Type __reduce_min_sync(unsigned mask, Type value) { \
    return eclosion_device::reduce_min(value, mask);                    \
  }                                                                     \
  ECLOSION_FUNCTION Type __reduce_max_sync(unsigned mask, Type value) { \
    return eclosion_device::reduce_max(value, mask);                    \
  }
ECLOSION_REDUCTIONS(int)
ECLOSION_REDUCTIONS(unsigned)
#undef ECLOSION_REDUCTIONS

ECLOSION_FUNCTION unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return eclosion_device::reduce(ECLOSION_VOTE_AND, value, mask);
}
ECLOSION_FUNCTION unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return eclosion_device::reduce(ECLOSION_VOTE_OR, value, mask);
}
ECLOSION_FUNCTION unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return eclosion_device::reduce(ECLOSION_VOTE_XOR, value, mask);
}

// The place of the set bit that is `offset` set bits from `base`, itself the
// first if it is set; downwards if negative. All ones where there is none.
ECLOSION_FUNCTION unsigned __fns(unsigned mask, unsigned base, int offset) {
  int place = (int)base;
  if (offset == 0) return (mask >> place) & 1 ? base : ~0U;
  const int step = offset > 0 ? 1 : -1;
  for (int left = offset; place >= 0 && place < 32; place += step) {
    if ((mask >> place) & 1) left -= step;
    if (left == 0) return (unsigned)place;
  }
  return ~0U;
}
