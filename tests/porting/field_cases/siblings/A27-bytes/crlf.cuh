#pragma once
#include <cuda_runtime.h>
#define CHECK(x) \
	if ((x) != cudaSuccess) \
		return 1
inline int f(void* p)
{
	CHECK(cudaFree(p));
	return 0;
}
