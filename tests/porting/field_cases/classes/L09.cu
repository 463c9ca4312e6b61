#  include <cuda_runtime.h>
#include<cuda_fp16.h>
	#include "cuda.h" // driver
int main(){ __half h; (void)h; return cudaDeviceSynchronize(); }
