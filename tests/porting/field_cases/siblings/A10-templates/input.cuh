#pragma once
#include <cuda_runtime.h>
namespace filter {
template <class T, int N> __constant__ T weights[N];
__constant__ float table[2][8];
__device__ unsigned hits;
}
#define UPLOAD(symbol, from) cudaMemcpyToSymbol(symbol, from, sizeof(symbol))
#define RUN(call)                      \
  if (cudaError_t e_ = (call)) return e_
template <class T>
cudaError_t send(const T* host, cudaStream_t s, int row) {
  RUN(cudaMemcpyToSymbol(filter::weights<T, 4>, host, 4 * sizeof(T)));
  RUN(::cudaMemcpyToSymbolAsync(filter::table[row], /* from */ host, 32));
  RUN(cudaMemcpyFromSymbolAsync(nullptr, filter::hits,
                                sizeof(unsigned), 0, cudaMemcpyDeviceToHost, s));
  size_t n = 0;
  RUN(cudaGetSymbolSize(&n, (filter::hits)));
  return UPLOAD(filter::table, host);
}
