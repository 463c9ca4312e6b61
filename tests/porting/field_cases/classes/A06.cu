#include <cuda.h>
#include <cuda_runtime.h>
const char* n(int e){ switch(e){ case cudaErrorMemoryAllocation: return "rt"; case CUDA_ERROR_INVALID_VALUE: return "iv"; case cudaErrorInitializationError: return "i"; case CUDA_ERROR_DEINITIALIZED: return "d"; } return ""; }
int main(){ return n(0)[0]; }
