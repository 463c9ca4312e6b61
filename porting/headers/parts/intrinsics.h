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

//@ __umul24
// HIP's returns int. Here and below the function has a name of its own, so that
// CUDA's means it without a call, too.
__device__ inline unsigned eclosion_umul24(unsigned a, unsigned b) {
  return static_cast<unsigned>(__umul24(a, b));
}
#define __umul24 eclosion_umul24

//@ __popc
// HIP's returns unsigned.
__device__ inline int eclosion_popc(unsigned number) {
  return static_cast<int>(__popc(number));
}
#define __popc eclosion_popc

//@ __popcll
__device__ inline int eclosion_popcll(unsigned long long number) {
  return static_cast<int>(__popcll(number));
}
#define __popcll eclosion_popcll

//@ __rhadd
// Half of a sum of integers. HIP's gives other numbers before ROCm 7.1.
#if HIP_VERSION < 70100000
__device__ inline int eclosion_rhadd(int a, int b) {
  return static_cast<int>((1ll + a + b) >> 1);
}
#define __rhadd eclosion_rhadd
#endif

//@ __uhadd
#if HIP_VERSION < 70100000
__device__ inline unsigned eclosion_uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((0ull + a + b) >> 1);
}
#define __uhadd eclosion_uhadd
#endif

//@ __urhadd
#if HIP_VERSION < 70100000
__device__ inline unsigned eclosion_urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((1ull + a + b) >> 1);
}
#define __urhadd eclosion_urhadd
#endif

//@ __hadd
// Also a sum of 16-bit floating-point numbers, which is HIP's.
#if HIP_VERSION < 70100000
__device__ inline int eclosion_hadd(int a, int b) {
  return static_cast<int>((0ll + a + b) >> 1);
}
__device__ inline __half eclosion_hadd(__half a, __half b) {
  return __hadd(a, b);
}
__host__ __device__ inline __hip_bfloat16 eclosion_hadd(__hip_bfloat16 a,
                                                        __hip_bfloat16 b) {
  return __hadd(a, b);
}
#define __hadd eclosion_hadd
#endif

//@ __tanhf
#define __tanhf tanhf

//@ __grid_constant__
// A hint for parameters that a kernel only reads.
#define __grid_constant__

//@ __maxnreg__
// A limit for registers, whose number means nothing to AMD GPUs.
#define __maxnreg__(registers)

//@ __dp4a
// Four products of bytes, signed or unsigned, added to a number.
__device__ inline int __dp4a(int a, int b, int sum) {
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<signed char>(a >> shift) *
           static_cast<signed char>(b >> shift);
  }
  return sum;
}
__device__ inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int shift = 0; shift < 32; shift += 8) {
    sum += ((a >> shift) & 0xffu) * ((b >> shift) & 0xffu);
  }
  return sum;
}
__device__ inline int __dp4a(char4 a, char4 b, int sum) {
  return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__device__ inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
  return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

//@ __hmax2
// HIP has these for pairs of bfloat16 numbers.
__device__ inline __half2 __hmax2(__half2 a, __half2 b) {
  return __halves2half2(__hmax(__low2half(a), __low2half(b)),
                        __hmax(__high2half(a), __high2half(b)));
}

//@ __hmin2
__device__ inline __half2 __hmin2(__half2 a, __half2 b) {
  return __halves2half2(__hmin(__low2half(a), __low2half(b)),
                        __hmin(__high2half(a), __high2half(b)));
}

//@ umin
__device__ inline unsigned umin(unsigned a, unsigned b) {
  return b < a ? b : a;
}

//@ umax
__device__ inline unsigned umax(unsigned a, unsigned b) {
  return a < b ? b : a;
}

//@ llmin
__device__ inline long long llmin(long long a, long long b) {
  return b < a ? b : a;
}

//@ llmax
__device__ inline long long llmax(long long a, long long b) {
  return a < b ? b : a;
}

//@ ullmin
__device__ inline unsigned long long ullmin(unsigned long long a,
                                            unsigned long long b) {
  return b < a ? b : a;
}

//@ ullmax
__device__ inline unsigned long long ullmax(unsigned long long a,
                                            unsigned long long b) {
  return a < b ? b : a;
}

//@ fdivide
__device__ inline double fdivide(double a, double b) { return a / b; }
__device__ inline float fdivide(float a, float b) { return a / b; }

//@ sincos
// HIP has no overloads for floats.
__device__ inline void sincos(float angle, float* sine, float* cosine) {
  sincosf(angle, sine, cosine);
}

//@ sincospi
__device__ inline void sincospi(float angle, float* sine, float* cosine) {
  sincospif(angle, sine, cosine);
}

//@ __ffsll
// HIP has overloads for signed and unsigned numbers, so others are ambiguous.
// Before ROCm 7.0 they return unsigned.
__device__ inline int eclosion_ffsll(long long number) {
  return static_cast<int>(__ffsll(number));
}
#define __ffsll eclosion_ffsll

//@ __ffs
__device__ inline int eclosion_ffs(int number) {
  return static_cast<int>(__ffs(number));
}
#define __ffs eclosion_ffs

//@ __CUDACC_EXTENDED_LAMBDA__
#define __CUDACC_EXTENDED_LAMBDA__ 1

//@ __CUDACC_RELAXED_CONSTEXPR__
#define __CUDACC_RELAXED_CONSTEXPR__ 1
