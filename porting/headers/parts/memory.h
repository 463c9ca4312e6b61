// Loads, stores and atomics of CUDA with hints and scopes.
// Read by porting/headers/parts.py, see warp.h.

//@ eclosion_is_number
// Types that one instruction reads, and that atomic loads take.
template <typename T>
constexpr bool eclosion_is_number =
    __is_arithmetic(T) || __is_enum(T) || __is_pointer(T);

//@ __ldg
// For types that HIP's own overloads, which come first, do not take.
template <typename T>
__device__ inline T __ldg(const T* address) {
  return *address;
}

//@ __ldca
template <typename T>
__device__ inline T __ldca(const T* address) {
  return *address;
}

//@ __ldcs needs eclosion_is_number
template <typename T>
__device__ inline T __ldcs(const T* address) {
  if constexpr (eclosion_is_number<T>) {
    return __builtin_nontemporal_load(address);
  } else {
    return *address;
  }
}

//@ __ldlu needs __ldcs
template <typename T>
__device__ inline T __ldlu(const T* address) {
  return __ldcs(address);
}

//@ __ldcg needs eclosion_is_number
// Past the compute unit's own cache, to see what other blocks wrote.
template <typename T>
__device__ inline T __ldcg(const T* address) {
  if constexpr (eclosion_is_number<T>) {
    return __hip_atomic_load(address, __ATOMIC_RELAXED,
                             __HIP_MEMORY_SCOPE_AGENT);
  } else {
    return *address;
  }
}

//@ __ldcv
// Memory is read anew, as what is not this device may have written it.
template <typename T>
__device__ inline T __ldcv(const T* address) {
  return __hip_atomic_load(address, __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_SYSTEM);
}

//@ __stwb
template <typename T>
__device__ inline void __stwb(T* address, T value) {
  *address = value;
}

//@ __stcg
template <typename T>
__device__ inline void __stcg(T* address, T value) {
  *address = value;
}

//@ __stcs needs eclosion_is_number
template <typename T>
__device__ inline void __stcs(T* address, T value) {
  if constexpr (eclosion_is_number<T>) {
    __builtin_nontemporal_store(value, address);
  } else {
    *address = value;
  }
}

//@ __stwt
template <typename T>
__device__ inline void __stwt(T* address, T value) {
  __hip_atomic_store(address, value, __ATOMIC_RELAXED,
                     __HIP_MEMORY_SCOPE_SYSTEM);
}

//@ atomicAdd_block
// Device scope includes the block.
#define atomicAdd_block atomicAdd

//@ atomicSub_block
#define atomicSub_block atomicSub

//@ atomicExch_block
#define atomicExch_block atomicExch

//@ atomicMin_block
#define atomicMin_block atomicMin

//@ atomicMax_block
#define atomicMax_block atomicMax

//@ atomicInc_block
#define atomicInc_block atomicInc

//@ atomicDec_block
#define atomicDec_block atomicDec

//@ atomicCAS_block
#define atomicCAS_block atomicCAS

//@ atomicAnd_block
#define atomicAnd_block atomicAnd

//@ atomicOr_block
#define atomicOr_block atomicOr

//@ atomicXor_block
#define atomicXor_block atomicXor
