// The older bfloat16 of HIP: the vendor's own header, after our functions.
#pragma once

#include "hip/hip_runtime.h"

// clang-format off
#include "eclosion/hip_vendor_begin.inc"
#include_next <hip/hip_bfloat16.h>
#include "eclosion/hip_vendor_end.inc"
// clang-format on
