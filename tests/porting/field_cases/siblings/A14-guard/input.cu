#include <cuda_runtime.h>
struct RelaxedCapture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
};
void* grow(cudaMemPool_t pool, size_t n, cudaStream_t s) {
  cudaStreamCaptureMode mode{cudaStreamCaptureModeRelaxed};
  void* p = nullptr;
  cudaThreadExchangeStreamCaptureMode(&mode);
  if (cudaMallocFromPoolAsync(&p, n, pool, s) != cudaSuccess) p = nullptr;
  cudaThreadExchangeStreamCaptureMode(&mode);
  return p;
}
void* plain(cudaMemPool_t pool, size_t n, cudaStream_t s) {
  void* p = nullptr;
  cudaMallocFromPoolAsync(&p, n, pool, s);
  return p;
}
cudaError_t make(cudaGraph_t g, cudaGraphExec_t* a, cudaGraphExec_t* b, char* log) {
  cudaGraphInstantiate(a, g);
  cudaGraphInstantiate(b, g, nullptr, log, 64);
  return cudaGraphInstantiateWithFlags(b, g, cudaGraphInstantiateFlagAutoFreeOnLaunch);
}
