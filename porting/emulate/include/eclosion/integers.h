// Integer functions of device code that both vendors have: bits, bytes, wide
// products, and the smaller and larger of two.
#pragma once

#include "qualifiers.h"

ECLOSION_FUNCTION int __clz(int value) {
  return value == 0 ? 32 : __builtin_clz((unsigned)value);
}
ECLOSION_FUNCTION int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll((unsigned long long)value);
}
ECLOSION_FUNCTION int __ffs(int value) { return __builtin_ffs(value); }
ECLOSION_FUNCTION int __ffsll(long long value) {
  return __builtin_ffsll(value);
}
#ifndef __HIP__  // which gives unsigned: hip_integers.h
ECLOSION_FUNCTION int __popc(unsigned value) {
  return __builtin_popcount(value);
}
ECLOSION_FUNCTION int __popcll(unsigned long long value) {
  return __builtin_popcountll(value);
}
#endif
ECLOSION_FUNCTION unsigned __brev(unsigned value) {
  return __builtin_bitreverse32(value);
}
ECLOSION_FUNCTION unsigned long long __brevll(unsigned long long value) {
  return __builtin_bitreverse64(value);
}

#ifndef __HIP__  // which has no signs: hip_integers.h
// Byte n of the result is the byte of (y, x) that the nth hexadecimal digit of
// `selector` names: 0 to 3 of x, 4 to 7 of y; with 8 added, only its sign.
ECLOSION_FUNCTION unsigned __byte_perm(unsigned x, unsigned y,
                                       unsigned selector) {
  const unsigned long long bytes = ((unsigned long long)y << 32) | x;
  unsigned result = 0;
  for (int place = 0; place < 4; ++place) {
    const unsigned choice = selector >> (4 * place);
    unsigned byte = (unsigned)(bytes >> (8 * (choice & 7))) & 0xFF;
    if (choice & 8) byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << (8 * place);
  }
  return result;
}
#endif

// The upper (l) or lower (r) word of (high, low) shifted; by the shift modulo
// 32 or, of the variants with c, by 32 at most.
ECLOSION_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high,
                                           unsigned shift) {
  const unsigned long long both = ((unsigned long long)high << 32) | low;
  return (unsigned)((both << (shift & 31)) >> 32);
}
ECLOSION_FUNCTION unsigned __funnelshift_lc(unsigned low, unsigned high,
                                            unsigned shift) {
  const unsigned long long both = ((unsigned long long)high << 32) | low;
  return shift >= 32 ? low : (unsigned)((both << shift) >> 32);
}
ECLOSION_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high,
                                           unsigned shift) {
  const unsigned long long both = ((unsigned long long)high << 32) | low;
  return (unsigned)(both >> (shift & 31));
}
ECLOSION_FUNCTION unsigned __funnelshift_rc(unsigned low, unsigned high,
                                            unsigned shift) {
  const unsigned long long both = ((unsigned long long)high << 32) | low;
  return shift >= 32 ? high : (unsigned)(both >> shift);
}

ECLOSION_FUNCTION int __mulhi(int x, int y) {
  return (int)(((long long)x * y) >> 32);
}
ECLOSION_FUNCTION unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long long)x * y) >> 32);
}
ECLOSION_FUNCTION long long __mul64hi(long long x, long long y) {
  return (long long)(((__int128)x * y) >> 64);
}
ECLOSION_FUNCTION unsigned long long __umul64hi(unsigned long long x,
                                                unsigned long long y) {
  return (unsigned long long)(((unsigned __int128)x * y) >> 64);
}

// Of the lower 24 bits of each factor, the lower 32 of the product.
ECLOSION_FUNCTION int __mul24(int x, int y) {
  const long long product = (long long)((int)((unsigned)x << 8) >> 8) *
                            ((int)((unsigned)y << 8) >> 8);
  return (int)product;
}
ECLOSION_FUNCTION unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xFFFFFF) * (y & 0xFFFFFF);
}

// Means without overflow: rounded down (hadd), or up (rhadd).
ECLOSION_FUNCTION int __hadd(int x, int y) {
  return (int)(((long long)x + y) >> 1);
}
ECLOSION_FUNCTION int __rhadd(int x, int y) {
  return (int)(((long long)x + y + 1) >> 1);
}
ECLOSION_FUNCTION unsigned __uhadd(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long long)x + y) >> 1);
}
ECLOSION_FUNCTION unsigned __urhadd(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}

// |x - y| + z
ECLOSION_FUNCTION unsigned __sad(int x, int y, unsigned z) {
  const long long difference = (long long)x - y;
  return (unsigned)(difference < 0 ? -difference : difference) + z;
}
ECLOSION_FUNCTION unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x < y ? y - x : x - y) + z;
}
