// half and half2: the vendor's types, and what they have on the device.
#pragma once

#include "narrow_types.h"

// clang-format off
#include "as_host_begin.inc"
#include_next <cuda_fp16.h>
#include "as_host_end.inc"
// clang-format on

#define ECLOSION_SCALAR __half
#define ECLOSION_PAIR __half2
#define ECLOSION_NARROW __double2half
#define ECLOSION_CONVERSION(to, mode) __half2##to##_##mode
#include "narrow_arithmetic.inc"
#include "narrow_conversions.inc"
#undef ECLOSION_CONVERSION
#undef ECLOSION_NARROW
#undef ECLOSION_PAIR
#undef ECLOSION_SCALAR
