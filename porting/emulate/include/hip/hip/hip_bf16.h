// bfloat16: the vendor's own header, after our device functions.
#pragma once

#include <climits>

#include "hip/hip_runtime.h"

// clang-format off
#include "eclosion/hip_vendor_begin.inc"
#include_next <hip/hip_bf16.h>
#include "eclosion/hip_vendor_end.inc"
// clang-format on
