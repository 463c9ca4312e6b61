#pragma once
#if defined(__CUDACC__) && !defined(__HIPCC__)
#include <cuda_runtime.h>
#define GPU(name) cuda##name
#elif defined(__HIPCC__)
#include <hip/hip_runtime.h>
#define GPU(name) hip##name
#endif
#ifndef __HIP_PLATFORM_AMD__
inline int old() { return cudaThreadSynchronize(); }
#endif
inline int both(void* p) {
#ifdef USE_ROCM
#ifdef CUDART_VERSION
  cudaFree(p);
#endif
  return hipFree(p);
#else
  return cudaFree(p);
#endif
}
inline int unguarded() { return cudaGetLastError(); }
