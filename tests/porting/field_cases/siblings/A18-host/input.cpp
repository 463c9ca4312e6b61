#include <curand.h>
#include <cuda_runtime.h>
class curandPool { public: curandGenerator_t next(); };
struct cudaArena { void* base; cudaStream_t stream; };
enum cublasTask { cublasTaskOne = 1 };
#define CUDA_ARENA_SIZE 4096
#define CURAND_TRY(x) if ((x) != CURAND_STATUS_SUCCESS) return false
static bool cudaArenaFill(cudaArena* cudaArenaPtr, curandPool& pool, float* cuValues) {
  curandGenerator_t gen = pool.next();
  CURAND_TRY(curandSetStream(gen, cudaArenaPtr->stream));
  CURAND_TRY(curandGenerateUniform(gen, cuValues, CUDA_ARENA_SIZE));
  return cudaGetLastError() == cudaSuccess && cublasTaskOne;
}
