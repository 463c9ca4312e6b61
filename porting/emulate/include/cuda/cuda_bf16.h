// __nv_bfloat16 and __nv_bfloat162: the vendor's types, and what they have on
// the device.
#pragma once

#include "narrow_types.h"

// clang-format off
#include "as_host_begin.inc"
#include_next <cuda_bf16.h>
#include "as_host_end.inc"
// clang-format on

#define ECLOSION_SCALAR __nv_bfloat16
#define ECLOSION_PAIR __nv_bfloat162
#define ECLOSION_NARROW __double2bfloat16
#define ECLOSION_CONVERSION(to, mode) __bfloat162##to##_##mode
#include "narrow_arithmetic.inc"
#include "narrow_conversions.inc"
#undef ECLOSION_CONVERSION
#undef ECLOSION_NARROW
#undef ECLOSION_PAIR
#undef ECLOSION_SCALAR

#include "bfloat_conversions.inc"
