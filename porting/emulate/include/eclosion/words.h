// Arithmetic on the two halves or four bytes of a 32-bit word: __vadd2,
// __vmaxs4, __vcmpeq2, __dp4a, ...
#pragma once

#include "qualifiers.h"

namespace eclosion_device {

// Apply `part` to each `Part` of the words; its integer result is cut to fit.
template <typename Part, typename Operation>
ECLOSION_FUNCTION unsigned by_parts(unsigned x, unsigned y, unsigned z,
                                    Operation part) {
  constexpr int kBits = 8 * sizeof(Part);
  constexpr unsigned kMask = (1U << kBits) - 1;
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += kBits) {
    const int value = part((int)(Part)(x >> shift), (int)(Part)(y >> shift),
                           (int)(Part)(z >> shift));
    result |= ((unsigned)value & kMask) << shift;
  }
  return result;
}

// The sum of `part` over the parts.
template <typename Part, typename Operation>
ECLOSION_FUNCTION unsigned over_parts(unsigned x, unsigned y, Operation part) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 8 * (int)sizeof(Part)) {
    sum += (unsigned)part((int)(Part)(x >> shift), (int)(Part)(y >> shift));
  }
  return sum;
}

ECLOSION_FUNCTION int least_of(int x, int y) { return x < y ? x : y; }
ECLOSION_FUNCTION int most_of(int x, int y) { return x < y ? y : x; }
ECLOSION_FUNCTION int size_of(int x) { return x < 0 ? -x : x; }

// To what a `Part` can be.
template <typename Part>
ECLOSION_FUNCTION int saturated(int value) {
  constexpr bool kSigned = Part(-1) < Part(0);
  constexpr int kBits = 8 * sizeof(Part) - (kSigned ? 1 : 0);
  constexpr int kMost = (1 << kBits) - 1;
  return most_of(kSigned ? -kMost - 1 : 0, least_of(kMost, value));
}

}  // namespace eclosion_device

#define ECLOSION_PARTS(name, Part, expression)                             \
  ECLOSION_FUNCTION unsigned name(unsigned left, unsigned right) {         \
    using namespace eclosion_device;                                       \
    return by_parts<Part>(left, right, 0,                                  \
                          [] __attribute__((device)) (int x, int y, int) { \
                            return expression;                             \
                          });                                              \
  }
#define ECLOSION_PART(name, Part, expression)                                 \
  ECLOSION_FUNCTION unsigned name(unsigned value) {                           \
    using namespace eclosion_device;                                          \
    return by_parts<Part>(                                                    \
        value, 0, 0,                                                          \
        [] __attribute__((device)) (int x, int, int) { return expression; }); \
  }
#define ECLOSION_SUM(name, Part)                                               \
  ECLOSION_FUNCTION unsigned name(unsigned left, unsigned right) {             \
    using namespace eclosion_device;                                           \
    return over_parts<Part>(                                                   \
        left, right,                                                           \
        [] __attribute__((device)) (int x, int y) { return size_of(x - y); }); \
  }
// A comparison: all bits of a part (cmp) or its lowest (set).
#define ECLOSION_COMPARISON(name, count, Part, comparison)       \
  ECLOSION_PARTS(__vcmp##name##count, Part, comparison ? -1 : 0) \
  ECLOSION_PARTS(__vset##name##count, Part, comparison ? 1 : 0)

#define ECLOSION_WORDS(count, Signed, Unsigned)                               \
  ECLOSION_PARTS(__vadd##count, Unsigned, x + y)                              \
  ECLOSION_PARTS(__vaddss##count, Signed, saturated<Signed>(x + y))           \
  ECLOSION_PARTS(__vaddus##count, Unsigned, saturated<Unsigned>(x + y))       \
  ECLOSION_PARTS(__vsub##count, Unsigned, x - y)                              \
  ECLOSION_PARTS(__vsubss##count, Signed, saturated<Signed>(x - y))           \
  ECLOSION_PARTS(__vsubus##count, Unsigned, saturated<Unsigned>(x - y))       \
  ECLOSION_PARTS(__vavgs##count, Signed, (x + y + (x + y >= 0 ? 1 : 0)) >> 1) \
  ECLOSION_PARTS(__vavgu##count, Unsigned, (x + y + 1) >> 1)                  \
  ECLOSION_PARTS(__vhaddu##count, Unsigned, (x + y) >> 1)                     \
  ECLOSION_PARTS(__vmaxs##count, Signed, most_of(x, y))                       \
  ECLOSION_PARTS(__vmaxu##count, Unsigned, most_of(x, y))                     \
  ECLOSION_PARTS(__vmins##count, Signed, least_of(x, y))                      \
  ECLOSION_PARTS(__vminu##count, Unsigned, least_of(x, y))                    \
  ECLOSION_PARTS(__vabsdiffs##count, Signed, size_of(x - y))                  \
  ECLOSION_PARTS(__vabsdiffu##count, Unsigned, size_of(x - y))                \
  ECLOSION_PART(__vabs##count, Signed, size_of(x))                            \
  ECLOSION_PART(__vabsss##count, Signed, saturated<Signed>(size_of(x)))       \
  ECLOSION_PART(__vneg##count, Signed, -x)                                    \
  ECLOSION_PART(__vnegss##count, Signed, saturated<Signed>(-x))               \
  ECLOSION_SUM(__vsads##count, Signed)                                        \
  ECLOSION_SUM(__vsadu##count, Unsigned)                                      \
  ECLOSION_COMPARISON(eq, count, Unsigned, x == y)                            \
  ECLOSION_COMPARISON(ne, count, Unsigned, x != y)                            \
  ECLOSION_COMPARISON(ges, count, Signed, x >= y)                             \
  ECLOSION_COMPARISON(geu, count, Unsigned, x >= y)                           \
  ECLOSION_COMPARISON(gts, count, Signed, x > y)                              \
  ECLOSION_COMPARISON(gtu, count, Unsigned, x > y)                            \
  ECLOSION_COMPARISON(les, count, Signed, x <= y)                             \
  ECLOSION_COMPARISON(leu, count, Unsigned, x <= y)                           \
  ECLOSION_COMPARISON(lts, count, Signed, x < y)                              \
  ECLOSION_COMPARISON(ltu, count, Unsigned, x < y)

ECLOSION_WORDS(2, short, unsigned short)
ECLOSION_WORDS(4, signed char, unsigned char)

#undef ECLOSION_WORDS
#undef ECLOSION_COMPARISON
#undef ECLOSION_SUM
#undef ECLOSION_PART
#undef ECLOSION_PARTS
