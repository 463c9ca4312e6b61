#include <cuda.h>
#define CU(call) do { if ((call) != CUDA_SUCCESS) return -1; } while (0)
int record(CUstream cap, CUstream side, CUgraphExec* exec, CUdeviceptr* out) {
  CUgraph g;
  CU(cuMemAllocAsync(out, 64, side));
  CU(cuStreamBeginCapture(cap, CU_STREAM_CAPTURE_MODE_RELAXED));
  CU(cuMemAllocAsync(out, 1 << 20, side));
  CU(cuMemAllocAsync(out + 1, 1 << 10, cap));
  CU(cuStreamEndCapture(cap, &g));
  CU(cuMemFreeAsync(*out, side));
  CU(cuGraphInstantiate(exec, g, 0));
  return 0;
}
