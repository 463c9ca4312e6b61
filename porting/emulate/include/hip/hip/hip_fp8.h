// 8-bit floating point: the vendor's own header, by the conversions in it that
// need no instruction of its devices.
#pragma once

#include "hip/hip_bf16.h"
#include "hip/hip_fp16.h"

// Only these are chosen by the macro; they round as the instructions do.
#pragma push_macro("__gfx942__")
#pragma push_macro("__gfx950__")
#undef __gfx942__
#undef __gfx950__
// clang-format off
#include "eclosion/hip_vendor_begin.inc"
#include_next <hip/hip_fp8.h>
#include "eclosion/hip_vendor_end.inc"
// clang-format on
#pragma pop_macro("__gfx950__")
#pragma pop_macro("__gfx942__")
