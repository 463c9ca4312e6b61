#include <cublas_v2.h>
int f(cublasHandle_t h, void* x){ float a = 1; return cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1,1,1,&a,x,CUDA_R_16F,1,x,CUDA_R_16F,1,&a,x,CUDA_R_16F,1,CUBLAS_COMPUTE_32F,CUBLAS_GEMM_DEFAULT_TENSOR_OP); }
int main(){ return 0; }
