// Arithmetic on two floats at once (crt/sm_100_rt.h), swaps of bytes
// (sm_20_intrinsics.h) and barriers with a number (sm_30_intrinsics.h).
#pragma once

#include "../eclosion/barriers.h"
#include "../eclosion/rounded_names.h"

#define ECLOSION_PAIRS(mode)                                                   \
  ECLOSION_FUNCTION float2 __fadd2_##mode(float2 x, float2 y) {                \
    return float2{__fadd_##mode(x.x, y.x), __fadd_##mode(x.y, y.y)};           \
  }                                                                            \
  ECLOSION_FUNCTION float2 __fmul2_##mode(float2 x, float2 y) {                \
    return float2{__fmul_##mode(x.x, y.x), __fmul_##mode(x.y, y.y)};           \
  }                                                                            \
  ECLOSION_FUNCTION float2 __ffma2_##mode(float2 x, float2 y, float2 z) {      \
    return float2{__fmaf_##mode(x.x, y.x, z.x), __fmaf_##mode(x.y, y.y, z.y)}; \
  }
ECLOSION_PAIRS(rn)
ECLOSION_PAIRS(rd)
ECLOSION_PAIRS(ru)
ECLOSION_PAIRS(rz)
#undef ECLOSION_PAIRS

ECLOSION_FUNCTION unsigned short __nv_bswap16(unsigned short value) {
  return __builtin_bswap16(value);
}
ECLOSION_FUNCTION unsigned __nv_bswap32(unsigned value) {
  return __builtin_bswap32(value);
}
ECLOSION_FUNCTION unsigned long long __nv_bswap64(unsigned long long value) {
  return __builtin_bswap64(value);
}

// All threads of the block meet, whatever the barrier's number.
ECLOSION_FUNCTION void __barrier_sync(unsigned) { __syncthreads(); }
ECLOSION_FUNCTION void __barrier_sync_count(unsigned, unsigned count) {
  if (count != blockDim.x * blockDim.y * blockDim.z) {
    eclosion_assert_failed(
        "__barrier_sync_count is emulated for all threads of the block alone",
        __FILE__, __LINE__, "__barrier_sync_count");
  }
  __syncthreads();
}

ECLOSION_FUNCTION void __prof_trigger(int) {}
