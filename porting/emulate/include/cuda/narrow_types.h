// What the 16-bit types share; see narrow_arithmetic.inc.
//
// Types, conversions, operators and comparisons are the vendor's own, as its
// headers define them for the host in plain C++ (from CUDA 12.2 on). They are
// read as if for a host compiler, with each function made one of both sides.
// What those headers have for the device alone is ours.
#pragma once

#include "device_functions.h"

namespace eclosion_device {

// x * y + z for factors of 26 bits at most: rounded so that rounding once more
// to few bits gives what rounding the exact sum gives. Where the sum is not
// exact, its last bit is odd.
ECLOSION_FUNCTION double fused_to_odd(double x, double y, double z) {
  const double product = x * y;
  const double sum = product + z;
  const double added = sum - product;
  const double rest = (product - (sum - added)) + (z - added);
  long long bits = __builtin_bit_cast(long long, sum);
  if (rest == 0 || !__builtin_isfinite(sum) || (bits & 1)) return sum;
  bits += (rest > 0) == (sum > 0) ? 1 : -1;
  return __builtin_bit_cast(double, bits);
}

// As atomic_update, for a 16-bit class that the compiler's builtins refuse.
template <typename T, typename Change>
ECLOSION_FUNCTION T atomic_apply(T* address, Change change) {
  auto* bits = reinterpret_cast<unsigned short*>(address);
  const unsigned short old = atomic_update(
      bits, [&change] __attribute__((device)) (unsigned short before) {
        return __builtin_bit_cast(unsigned short,
                                  change(__builtin_bit_cast(T, before)));
      });
  return __builtin_bit_cast(T, old);
}

}  // namespace eclosion_device
