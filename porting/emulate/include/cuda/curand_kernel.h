// Random numbers on the device: the vendor's own header, which is C++ but for
// four approximations in PTX.
#pragma once

#include "device_functions.h"

namespace eclosion_device {

// What an instruction of that header computes; `text`: "\"rsqrt.approx...".
ECLOSION_FUNCTION float approximated(const char* text, float x) {
  switch (text[1]) {
    case 'e':  // ex2
      return exp2f(x);
    case 'l':  // lg2
      return log2f(x);
    case 'r':  // rsqrt, rcp
      return text[2] == 's' ? rsqrtf(x) : 1 / x;
    default:
      eclosion_trap();
  }
}

}  // namespace eclosion_device

// The header of Poisson's distribution has them. It is put off until the others
// are read; of what it has, they only use a table in a function of the host.
// clang-format off
#define CURAND_POISSON_H_
#define __cr_lgamma_table nullptr
#include_next <curand_kernel.h>
#undef __cr_lgamma_table
#undef CURAND_POISSON_H_
#pragma push_macro("asm")
#define asm(...) a = eclosion_device::approximated(#__VA_ARGS__, a)
#include <curand_poisson.h>
#pragma pop_macro("asm")
// clang-format on
