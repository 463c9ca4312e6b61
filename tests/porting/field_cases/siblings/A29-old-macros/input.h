#pragma once
#if defined(__HIP_PLATFORM_HCC__)
#include <hip/hip_runtime.h>
typedef hipEvent_t gpu_event;
#elif defined(__HIP_PLATFORM_NVCC__)
#include <cuda_runtime.h>
typedef cudaEvent_t gpu_event;
#endif
#include <hip/hip_fp16.h>
inline int wait(gpu_event e) { return hipEventSynchronize(e); }
inline int count() { int n = 0; cudaGetDeviceCount(&n); return n; }
