// The bits of bfloat16 numbers and the signs of infinities, in host code too.
// Read by porting/headers/parts.py, see warp.h. HIP has functions of these
// names: those of bits convert the number in ROCm 6.2's header, and __hisinf
// does not give -1 for the infinity below zero.

//@ eclosion_bits_as_bfloat16
__host__ __device__ inline __hip_bfloat16 eclosion_bits_as_bfloat16(
    unsigned short bits) {
  return __hip_bfloat16(__hip_bfloat16_raw{bits});
}

//@ eclosion_bfloat16_as_bits
__host__ __device__ inline unsigned short eclosion_bfloat16_as_bits(
    __hip_bfloat16 number) {
  return static_cast<__hip_bfloat16_raw>(number).x;
}

//@ eclosion_short_as_bfloat16 needs eclosion_bits_as_bfloat16
__host__ __device__ inline __hip_bfloat16 eclosion_short_as_bfloat16(
    short bits) {
  return eclosion_bits_as_bfloat16(static_cast<unsigned short>(bits));
}

//@ eclosion_bfloat16_as_short needs eclosion_bfloat16_as_bits
__host__ __device__ inline short eclosion_bfloat16_as_short(
    __hip_bfloat16 number) {
  return static_cast<short>(eclosion_bfloat16_as_bits(number));
}

//@ __ushort_as_bfloat16 needs eclosion_bits_as_bfloat16
#define __ushort_as_bfloat16 eclosion_bits_as_bfloat16

//@ __short_as_bfloat16 needs eclosion_short_as_bfloat16
#define __short_as_bfloat16 eclosion_short_as_bfloat16

//@ __bfloat16_as_ushort needs eclosion_bfloat16_as_bits
#define __bfloat16_as_ushort eclosion_bfloat16_as_bits

//@ __bfloat16_as_short needs eclosion_bfloat16_as_short
#define __bfloat16_as_short eclosion_bfloat16_as_short

//@ __hisinf
__host__ __device__ inline int eclosion_hisinf(__half number) {
  const unsigned short bits = __builtin_bit_cast(unsigned short, number);
  return bits == 0x7c00 ? 1 : bits == 0xfc00 ? -1 : 0;
}
__host__ __device__ inline int eclosion_hisinf(__hip_bfloat16 number) {
  const unsigned short bits = static_cast<__hip_bfloat16_raw>(number).x;
  return bits == 0x7f80 ? 1 : bits == 0xff80 ? -1 : 0;
}
#define __hisinf eclosion_hisinf
