// What CUDA has for words beyond __vadd2 and its like: dot products of bytes
// (sm_61_intrinsics.h) and sums with a choice (crt/device_functions.h).
#pragma once

#include "../eclosion/choices.h"
#include "../eclosion/words.h"

namespace eclosion_device {

// The products of `count` parts of y from `first` on with those of x, and c.
template <typename Left, typename Right, typename Sum>
ECLOSION_FUNCTION Sum dot(unsigned x, unsigned y, int first, int count, Sum c) {
  for (int i = 0; i < count; ++i) {
    c += (Sum)(int)(Left)(x >> (8 * sizeof(Left) * i)) *
         (Sum)(int)(Right)(y >> (8 * sizeof(Right) * (first + i)));
  }
  return c;
}

template <typename T>
ECLOSION_FUNCTION unsigned word_of(T value) {
  return __builtin_bit_cast(unsigned, value);
}

}  // namespace eclosion_device

#define ECLOSION_DOT(name, Left, Right, Sum, X, Y, first, count)      \
  ECLOSION_FUNCTION Sum name(X x, Y y, Sum c) {                       \
    using namespace eclosion_device;                                  \
    return dot<Left, Right>(word_of(x), word_of(y), first, count, c); \
  }
#define ECLOSION_DOTS(Byte, Short, Word, Bytes, Shorts)           \
  ECLOSION_DOT(__dp4a, Byte, Byte, Word, Word, Word, 0, 4)        \
  ECLOSION_DOT(__dp4a, Byte, Byte, Word, Bytes, Bytes, 0, 4)      \
  ECLOSION_DOT(__dp2a_lo, Short, Byte, Word, Word, Word, 0, 2)    \
  ECLOSION_DOT(__dp2a_lo, Short, Byte, Word, Shorts, Bytes, 0, 2) \
  ECLOSION_DOT(__dp2a_hi, Short, Byte, Word, Word, Word, 2, 2)    \
  ECLOSION_DOT(__dp2a_hi, Short, Byte, Word, Shorts, Bytes, 2, 2)
ECLOSION_DOTS(signed char, short, int, char4, short2)
ECLOSION_DOTS(unsigned char, unsigned short, unsigned, uchar4, ushort2)
#undef ECLOSION_DOTS
#undef ECLOSION_DOT

#define ECLOSION_CHOICES_OF_WORDS(choice, Type, suffix)                      \
  ECLOSION_BOTH Type __vi##choice##3_##suffix(Type x, Type y, Type z) {      \
    return choice(choice(x, y), z);                                          \
  }                                                                          \
  ECLOSION_BOTH Type __viadd##choice##_##suffix(Type x, Type y, Type z) {    \
    return choice((Type)((unsigned)x + (unsigned)y), z);                     \
  }                                                                          \
  /* The second where both are the same. */                                  \
  ECLOSION_BOTH Type __vib##choice##_##suffix(Type x, Type y, bool* first) { \
    *first = choice(x, y) == x;                                              \
    return choice(x, y);                                                     \
  }
ECLOSION_CHOICES_OF_WORDS(max, int, s32)
ECLOSION_CHOICES_OF_WORDS(max, unsigned, u32)
ECLOSION_CHOICES_OF_WORDS(min, int, s32)
ECLOSION_CHOICES_OF_WORDS(min, unsigned, u32)
#undef ECLOSION_CHOICES_OF_WORDS

// No less than 0.
#define ECLOSION_RELU(choice)                                         \
  ECLOSION_BOTH int __vi##choice##_s32_relu(int x, int y) {           \
    return max(choice(x, y), 0);                                      \
  }                                                                   \
  ECLOSION_BOTH int __vi##choice##3_s32_relu(int x, int y, int z) {   \
    return max(choice(choice(x, y), z), 0);                           \
  }                                                                   \
  ECLOSION_BOTH int __viadd##choice##_s32_relu(int x, int y, int z) { \
    return max(__viadd##choice##_s32(x, y, z), 0);                    \
  }
ECLOSION_RELU(max)
ECLOSION_RELU(min)
#undef ECLOSION_RELU

#define ECLOSION_PAIRS(choice, letter, suffix)                                 \
  ECLOSION_FUNCTION unsigned __vi##choice##3_##suffix(unsigned x, unsigned y,  \
                                                      unsigned z) {            \
    return __v##choice##letter##2(__v##choice##letter##2(x, y), z);            \
  }                                                                            \
  ECLOSION_FUNCTION unsigned __viadd##choice##_##suffix(                       \
      unsigned x, unsigned y, unsigned z) {                                    \
    return __v##choice##letter##2(__vadd2(x, y), z);                           \
  }                                                                            \
  ECLOSION_FUNCTION unsigned __vib##choice##_##suffix(unsigned x, unsigned y,  \
                                                      bool* high, bool* low) { \
    const unsigned chosen = __v##choice##letter##2(x, y);                      \
    *high = chosen >> 16 == x >> 16;                                           \
    *low = (chosen & 0xFFFF) == (x & 0xFFFF);                                  \
    return chosen;                                                             \
  }
ECLOSION_PAIRS(max, s, s16x2)
ECLOSION_PAIRS(max, u, u16x2)
ECLOSION_PAIRS(min, s, s16x2)
ECLOSION_PAIRS(min, u, u16x2)
#undef ECLOSION_PAIRS

#define ECLOSION_RELU_OF_PAIRS(choice)                               \
  ECLOSION_FUNCTION unsigned __vi##choice##_s16x2_relu(unsigned x,   \
                                                       unsigned y) { \
    return __vmaxs2(__v##choice##s2(x, y), 0);                       \
  }                                                                  \
  ECLOSION_FUNCTION unsigned __vi##choice##3_s16x2_relu(             \
      unsigned x, unsigned y, unsigned z) {                          \
    return __vmaxs2(__vi##choice##3_s16x2(x, y, z), 0);              \
  }                                                                  \
  ECLOSION_FUNCTION unsigned __viadd##choice##_s16x2_relu(           \
      unsigned x, unsigned y, unsigned z) {                          \
    return __vmaxs2(__viadd##choice##_s16x2(x, y, z), 0);            \
  }
ECLOSION_RELU_OF_PAIRS(max)
ECLOSION_RELU_OF_PAIRS(min)
#undef ECLOSION_RELU_OF_PAIRS
