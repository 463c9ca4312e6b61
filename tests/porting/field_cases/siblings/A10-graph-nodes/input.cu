#include <cuda_runtime.h>
#define CALL(fn, args) check(fn args, #fn)
int check(cudaError_t, const char*);
__device__ float gain;
__constant__ int order[16];
int build(cudaGraph_t g, cudaGraphExec_t x, float* host, int* list) {
  cudaGraphNode_t node;
  CALL(cudaGraphAddMemcpyNodeToSymbol, (&node, g, nullptr, 0, gain, host, sizeof(float), 0, cudaMemcpyHostToDevice));
  CALL(cudaGraphAddMemcpyNodeFromSymbol, (&node, g, &node, 1, list, order, sizeof order, 0, cudaMemcpyDeviceToHost));
  cudaGraphExecMemcpyNodeSetParamsToSymbol(x, node, &gain, host, 4, 0, cudaMemcpyHostToDevice);
  return CALL(cudaMemcpyToSymbol, (order, list, sizeof order));
}
