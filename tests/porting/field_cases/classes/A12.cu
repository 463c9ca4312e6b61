#include <cuda.h>
CUdeviceptr off(CUdeviceptr b, size_t n){ return b + n * sizeof(float); }
int main(){ return 0; }
