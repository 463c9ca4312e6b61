#pragma once
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#define cudaError_t hipError_t
using cudaStream_t = hipStream_t;
