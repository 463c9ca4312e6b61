// The 6-bit floating-point types, which the vendor defines for the host as
// well.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

// clang-format off
#include "as_host_begin.inc"
#include_next <cuda_fp6.h>
#include "as_host_end.inc"
// clang-format on
