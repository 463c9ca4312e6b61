#include <cuda_runtime.h>
int main(){ cudaStream_t s; int e = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); e += cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 0); cudaEvent_t v; e += cudaEventCreateWithFlags(&v, cudaEventDisableTiming); return e + cudaStreamWaitEvent(s, v, 0); }
