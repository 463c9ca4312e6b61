// Device functions of CUDA that HIP has under another form, and keywords.
// Read by porting/headers/parts.py, see warp.h.

//@ __nanosleep
// s_sleep takes a constant, in steps of 64 clock cycles: about 40 ns each. The
// time is a hint on NVIDIA GPUs too, and at most a millisecond.
__device__ inline void __nanosleep(unsigned nanoseconds) {
  const unsigned steps = nanoseconds > 1000000u ? 25000u : nanoseconds / 40u;
  for (unsigned step = 0; step <= steps; ++step) __builtin_amdgcn_s_sleep(1);
}

//@ __trap
__device__ inline void __trap() { __builtin_trap(); }

//@ __brkpt
__device__ inline void __brkpt() { __builtin_debugtrap(); }

//@ eclosion_generic
// The type of the builtins' parameter, which the host pass tells from void*.
typedef const __attribute__((address_space(0))) void* eclosion_generic;

//@ __isShared needs eclosion_generic
__device__ inline unsigned __isShared(const void* pointer) {
  return __builtin_amdgcn_is_shared((eclosion_generic)pointer);
}

//@ __isLocal needs eclosion_generic
__device__ inline unsigned __isLocal(const void* pointer) {
  return __builtin_amdgcn_is_private((eclosion_generic)pointer);
}

//@ __isGlobal needs eclosion_generic
__device__ inline unsigned __isGlobal(const void* pointer) {
  return !__builtin_amdgcn_is_shared((eclosion_generic)pointer) &&
         !__builtin_amdgcn_is_private((eclosion_generic)pointer);
}

//@ __float2bfloat162_rn
__device__ inline __hip_bfloat162 __float2bfloat162_rn(float value) {
  return __bfloat162bfloat162(__float2bfloat16(value));
}

//@ __floats2bfloat162_rn
__device__ inline __hip_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __float22bfloat162_rn(make_float2(a, b));
}

//@ __tanhf
#define __tanhf tanhf

//@ __grid_constant__
// A hint for parameters that a kernel only reads.
#define __grid_constant__

//@ __maxnreg__
// A limit for registers, whose number means nothing to AMD GPUs.
#define __maxnreg__(registers)
