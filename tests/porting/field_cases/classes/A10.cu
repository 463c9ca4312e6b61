#include <cuda.h>
int main(){ CUdevice d; CUcontext c; CUmodule m; CUfunction f; cuInit(0); cuDeviceGet(&d, 0); cuCtxCreate(&c, 0, d); cuModuleLoad(&m, "x"); cuModuleGetFunction(&f, m, "k"); CUdeviceptr p; cuMemAlloc(&p, 16); return cuLaunchKernel(f,1,1,1,1,1,1,0,0,0,0); }
