// Smooths a signal, sums it up, and prints what came out. A macro puts one
// fault into it; the line that the fault is at is marked "planted: fault".
// planted.cu has it once for each fault, which is compiled in one go.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

// Each fault has kernels of its own.
namespace PROGRAM {

constexpr int kCount = 1000;  // the last block is not full
constexpr int kThreads = 256;
constexpr int kBlocks = (kCount + kThreads - 1) / kThreads;
constexpr unsigned kFullMask = 0xffffffffu;
constexpr int kMostWarps = 8;
constexpr int kNarrow = 32;  // the lanes of a warp, it is believed
constexpr int kMostLanes = 64;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}

// Add to each value its neighbours in its block.
__global__ void smooth(const int* from, int* to, int count) {
  __shared__ int tile[kThreads];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int at = static_cast<int>(threadIdx.x);
  tile[at] = i < count ? from[i] : 0;  // planted: missing_barrier
#if PLANT_divergent_barrier
  if (i < count) __syncthreads();  // planted: divergent_barrier
#elif !PLANT_missing_barrier
  __syncthreads();
#endif
  int sum = tile[at];
  if (at + 1 < kThreads) sum += tile[at + 1];
  if (at > 0) sum += tile[at - 1];
#if PLANT_out_of_bounds
  to[i] = sum;  // planted: out_of_bounds
#else
  if (i < count) to[i] = sum;
#endif
}

__device__ int sum_of_warp(int value) {
#if PLANT_half_a_wave
  for (int distance = kNarrow / 2; distance > 0; distance /= 2) {
#else
  for (int distance = warpSize / 2; distance > 0; distance /= 2) {
#endif
    value += __shfl_down_sync(kFullMask, value, distance);
  }
#if PLANT_inactive_lane
  if (threadIdx.x < 8) {
    value += __shfl_down_sync(kFullMask, value, 8);  // planted: inactive_lane
  }
#endif
  return value;
}

// Sum up the values; one warp does it.
__global__ void total(const int* values, int* sum, int count) {
  int mine = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += warpSize) {
    mine += values[i];
  }
  mine = sum_of_warp(mine);
  if (threadIdx.x == 0) *sum = mine;
}

// Tell odd values from even ones, over a row of shared memory for each warp.
__global__ void divide(const int* from, int* to, int count) {
#if PLANT_row_of_32
  __shared__ int rows[kMostWarps][kNarrow];
#else
  __shared__ int rows[kMostWarps][kMostLanes];
#endif
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int lane = static_cast<int>(threadIdx.x) % warpSize;
  const int warp = static_cast<int>(threadIdx.x) / warpSize;
  if (i < count) rows[warp][lane] = from[i] % 2;  // planted: row_of_32
  __syncthreads();
  if (i < count) to[i] = rows[warp][lane];
}

struct Buffers {
  int *input, *output;                 // pinned memory of the host
  int *raw, *smoothed, *parity, *sum;  // memory of the device
};

Buffers allocate() {
  Buffers made{};
  const std::size_t bytes = kCount * sizeof(int);
  check(cudaMallocHost(&made.input, bytes), "input");
  check(cudaMallocHost(&made.output, bytes), "output");
  check(cudaMalloc(&made.raw, bytes), "raw");
  check(cudaMalloc(&made.smoothed, bytes), "smoothed");
  check(cudaMalloc(&made.parity, bytes), "parity");
  check(cudaMalloc(&made.sum, sizeof(int)), "sum");
  for (int i = 0; i < kCount; ++i) made.input[i] = i * 7 % 31;
  return made;
}

void release(const Buffers& made) {
  check(cudaFreeHost(made.input), "input");
  check(cudaFreeHost(made.output), "output");
  check(cudaFree(made.raw), "raw");
  check(cudaFree(made.smoothed), "smoothed");
  check(cudaFree(made.parity), "parity");
  check(cudaFree(made.sum), "sum");
}

void work(const Buffers& made, cudaStream_t loading, cudaStream_t working) {
  int lanes = 0;
  check(cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, 0), "lanes");
  cudaEvent_t loaded;
  check(cudaEventCreateWithFlags(&loaded, cudaEventDisableTiming), "event");
  const auto to_device = cudaMemcpyHostToDevice;
  const std::size_t bytes = kCount * sizeof(int);
  check(cudaMemcpyAsync(made.raw, made.input, bytes, to_device, loading),
        "load");
  check(cudaEventRecord(loaded, loading), "record");
#if !PLANT_missing_event
  check(cudaStreamWaitEvent(working, loaded, 0), "order");
#endif
  smooth<<<kBlocks, kThreads, 0, working>>>(  // planted: missing_event
      made.raw, made.smoothed, kCount);
  total<<<1, lanes, 0, working>>>(made.smoothed, made.sum, kCount);
#if PLANT_use_after_free
  check(cudaFree(made.smoothed), "early");  // planted: use_after_free
#endif
  divide<<<kBlocks, kThreads, 0, working>>>(made.smoothed, made.parity, kCount);
  check(cudaGetLastError(), "launches");
  check(cudaEventDestroy(loaded), "event");
}

void show(const Buffers& made, const int* values, int count, cudaStream_t in) {
  const auto to_host = cudaMemcpyDeviceToHost;
  const std::size_t bytes = count * sizeof(int);
  check(cudaMemcpyAsync(made.output, values, bytes, to_host, in), "copy");
#if !PLANT_missing_wait
  check(cudaStreamSynchronize(in), "wait");
#endif
  long long sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += made.output[i] * (i % 5 + 1LL);  // planted: missing_wait
  }
  std::printf("%d values: %lld\n", count, sum);
}

int run() {
  const Buffers made = allocate();
  cudaStream_t loading, working;
  check(cudaStreamCreateWithFlags(&loading, cudaStreamNonBlocking), "loading");
  check(cudaStreamCreateWithFlags(&working, cudaStreamNonBlocking), "working");
  work(made, loading, working);
  show(made, made.sum, 1, working);
  show(made, made.parity, kCount, working);
  show(made, made.smoothed, kCount, working);
  check(cudaStreamSynchronize(working), "work");
  check(cudaStreamDestroy(loading), "loading");
  check(cudaStreamDestroy(working), "working");
  release(made);
  return 0;
}

}  // namespace PROGRAM
