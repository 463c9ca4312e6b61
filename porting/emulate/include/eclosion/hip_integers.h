// Integer functions of device code that HIP has differently, or alone:
// amd_device_functions.h of ROCm 7.1.
#pragma once

#include "qualifiers.h"

ECLOSION_FUNCTION unsigned __popc(unsigned value) {
  return (unsigned)__builtin_popcount(value);
}
ECLOSION_FUNCTION unsigned __popcll(unsigned long long value) {
  return (unsigned)__builtin_popcountll(value);
}
// Of a selector's digits, bit 3 says nothing (with CUDA: only the sign).
ECLOSION_FUNCTION unsigned __byte_perm(unsigned x, unsigned y,
                                       unsigned selector) {
  const unsigned long long bytes = ((unsigned long long)y << 32) | x;
  unsigned result = 0;
  for (int place = 0; place < 4; ++place) {
    const unsigned choice = selector >> (4 * place) & 7;
    result |= ((unsigned)(bytes >> (8 * choice)) & 255) << (8 * place);
  }
  return result;
}

ECLOSION_FUNCTION unsigned __lastbit_u32_u64(unsigned long value) {
  return value == 0 ? ~0U : (unsigned)__builtin_ctzl(value);
}

// A field of `count` bits from bit `first` on, read and written.
ECLOSION_FUNCTION unsigned __bitextract_u32(unsigned word, unsigned first,
                                            unsigned count) {
  const unsigned bits = count & 31;
  return bits == 0 ? 0 : word << (32 - (first & 31) - bits) >> (32 - bits);
}
ECLOSION_FUNCTION unsigned long __bitextract_u64(unsigned long word,
                                                 unsigned first,
                                                 unsigned count) {
  const unsigned bits = count & 63;
  return bits == 0 ? 0 : word << (64 - (first & 63) - bits) >> (64 - bits);
}
ECLOSION_FUNCTION unsigned __bitinsert_u32(unsigned word, unsigned field,
                                           unsigned first, unsigned count) {
  const unsigned mask = (1U << (count & 31)) - 1;
  const unsigned shift = first & 31;
  return (word & ~(mask << shift)) | (field & mask) << shift;
}
ECLOSION_FUNCTION unsigned long __bitinsert_u64(unsigned long word,
                                                unsigned long field,
                                                unsigned first,
                                                unsigned count) {
  const unsigned long mask = (1UL << (count & 63)) - 1;
  const unsigned long shift = first & 63;
  return (word & ~(mask << shift)) | (field & mask) << shift;
}

namespace eclosion_device {

// The place of the bit that is the `number`th set one of `mask` from bit `base`
// on, upwards or (negative) downwards; -1: none. 0 asks of bit `base` itself.
ECLOSION_FUNCTION int nth_set(unsigned long long mask, int base, int number,
                              int bits) {
  const int step = number < 0 ? -1 : 1;
  int wanted = number < 0 ? -number : number;
  if (number == 0) return (mask >> base & 1) != 0 ? base : -1;
  for (int at = base; at >= 0 && at < bits; at += step) {
    if ((mask >> at & 1) != 0 && --wanted == 0) return at;
  }
  return -1;
}

}  // namespace eclosion_device

ECLOSION_FUNCTION int __fns64(unsigned long mask, unsigned base, int number) {
  return eclosion_device::nth_set(mask, (int)base, number, 64);
}
ECLOSION_FUNCTION int __fns32(unsigned long mask, unsigned base, int number) {
  return eclosion_device::nth_set((unsigned)mask, (int)base, number, 32);
}
ECLOSION_FUNCTION int __fns(unsigned mask, unsigned base, int number) {
  return eclosion_device::nth_set(mask, (int)base, number, 32);
}
