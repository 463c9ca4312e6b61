// Eight kernels, and the time that their launches take: `workload SIDE
// SECONDS`.
//
// Each is launched with SIDE * SIDE threads: once to check what it computes,
// then until SECONDS are over.  A line each: name, threads, launches,
// seconds, and seconds of all processors.
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

constexpr int kBlock = 256, kWarp = 32;
constexpr int kTile = 16, kDepth = 64;    // of the product of two matrices
constexpr int kSquare = 32, kRows = 8;    // of the transposition
constexpr int kBins = 256, kEach = 4;     // elements of a thread
constexpr int kColumns = kBlock * kEach;  // of a row of the softmax
constexpr unsigned kAll = 0xffffffffu;

__device__ inline int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void empty() {}

__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = index();
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void reduction(const float* in, float* out, int n) {
  __shared__ float sums[kBlock];
  int t = threadIdx.x, i = index();
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) sums[t] += sums[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

__global__ void warp_sums(const float* in, float* out) {
  int i = index();
  float value = in[i];
  for (int by = kWarp / 2; by > 0; by >>= 1)
    value += __shfl_down_sync(kAll, value, by);
  if (threadIdx.x % kWarp == 0) out[i / kWarp] = value;
}

__global__ void matmul(const float* a, const float* b, float* c, int side) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k = 0; k < kDepth; k += kTile) {
    left[y][x] = a[row * kDepth + k + x];
    right[y][x] = b[(k + y) * side + column];
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[row * side + column] = sum;
}

__global__ void histogram(const int* in, int* counts, int n) {
  __shared__ int bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = index(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] % kBins], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

__global__ void transpose(const float* in, float* out, int side) {
  __shared__ float square[kSquare][kSquare + 1];
  int x = blockIdx.x * kSquare, y = blockIdx.y * kSquare;
  for (int row = threadIdx.y; row < kSquare; row += kRows)
    square[row][threadIdx.x] = in[(y + row) * side + x + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < kSquare; row += kRows)
    out[(x + row) * side + y + threadIdx.x] = square[threadIdx.x][row];
}

template <class Join>
__device__ inline float join_block(float value, float* shared, Join join) {
  for (int by = kWarp / 2; by > 0; by >>= 1)
    value = join(value, __shfl_down_sync(kAll, value, by));
  if (threadIdx.x % kWarp == 0) shared[threadIdx.x / kWarp] = value;
  __syncthreads();
  value = shared[0];
  for (int i = 1; i < kBlock / kWarp; i++) value = join(value, shared[i]);
  __syncthreads();
  return value;
}

struct Largest {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

__global__ void softmax(const float* in, float* out) {
  __shared__ float shared[kBlock / kWarp];
  const float* row = in + blockIdx.x * kColumns;
  float largest = row[threadIdx.x], sum = 0, powers[kEach];
  for (int i = 1; i < kEach; i++)
    largest = Largest()(largest, row[threadIdx.x + i * kBlock]);
  largest = join_block(largest, shared, Largest());
  for (int i = 0; i < kEach; i++)
    sum += powers[i] = expf(row[threadIdx.x + i * kBlock] - largest);
  sum = join_block(sum, shared, Sum());
  for (int i = 0; i < kEach; i++)
    out[blockIdx.x * kColumns + threadIdx.x + i * kBlock] = powers[i] / sum;
}

// Ends the program; what a kernel computed wrongly makes its speed worthless.
static void fail(const std::string& what) {
  std::fprintf(stderr, "workload: %s\n", what.c_str());
  std::exit(1);
}

static void check(cudaError_t status) {
  if (status) fail(cudaGetErrorString(status));
}

template <class T>
struct Buffer {
  T* data = nullptr;
  size_t size;

  explicit Buffer(size_t size) : size(size) {
    check(cudaMalloc((void**)&data, size * sizeof(T)));
    check(cudaMemset(data, 0, size * sizeof(T)));
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    check(cudaMemcpy(data, values.data(), size * sizeof(T),
                     cudaMemcpyHostToDevice));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(data); }

  std::vector<T> read() const {
    std::vector<T> values(size);
    check(cudaMemcpy(values.data(), data, size * sizeof(T),
                     cudaMemcpyDeviceToHost));
    return values;
  }
};

using Launch = std::function<void()>;

class Measure {
 public:
  Measure(int side, double seconds)
      : threads_(side * side), seconds_(seconds) {}

  // `expected` gives what the first launch leaves at a place of `out`.
  template <class T, class Expected>
  void run(const char* name, Launch launch, const Buffer<T>& out, size_t count,
           Expected expected) const {
    launch();
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::vector<T> values = out.read();
    for (size_t i = 0; i < count; i++)
      if (!(std::fabs(values[i] - expected(i)) <=
            1e-5 * std::fabs(expected(i))))
        fail(std::string(name) + " gives " + std::to_string(values[i]) +
             " at " + std::to_string(i) + ", not " +
             std::to_string(expected(i)));
    time(name, launch);
  }

  void time(const char* name, const Launch& launch) const {
    using Clock = std::chrono::steady_clock;
    int launches = 0;
    double taken = 0;
    auto begun = Clock::now();
    std::clock_t used = std::clock();
    // Twice as many each time, so that waits for the device are few.
    for (int next = 1; taken < seconds_; next = launches) {
      for (int i = 0; i < next; i++) launch();
      check(cudaDeviceSynchronize());
      launches += next;
      taken = std::chrono::duration<double>(Clock::now() - begun).count();
    }
    check(cudaGetLastError());
    double of_cpus = double(std::clock() - used) / CLOCKS_PER_SEC;
    std::printf("%s %zu %d %.6f %.6f\n", name, threads_, launches, taken,
                of_cpus);
    std::fflush(stdout);
  }

 private:
  size_t threads_;
  double seconds_;
};

// Small whole numbers, whose sums and products are exact.
static std::vector<float> numbers(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; i++) values[i] = (i * 7 + i / 13) % 8;
  return values;
}

static void run_flat(const Measure& measure, int n) {
  std::vector<float> x = numbers(n);
  Buffer<float> in(x), out(n);
  int blocks = n / kBlock;
  auto sum = [&](size_t first, int count) {
    double total = 0;
    for (int i = 0; i < count; i++) total += x[first * count + i];
    return total;
  };
  measure.time("empty", [&] { empty<<<blocks, kBlock>>>(); });
  measure.run(
      "saxpy", [&] { saxpy<<<blocks, kBlock>>>(2, in.data, out.data, n); }, out,
      n, [&](size_t i) { return 2 * x[i]; });
  measure.run(
      "reduction", [&] { reduction<<<blocks, kBlock>>>(in.data, out.data, n); },
      out, blocks, [&](size_t i) { return sum(i, kBlock); });
  measure.run(
      "warp sums", [&] { warp_sums<<<blocks, kBlock>>>(in.data, out.data); },
      out, n / kWarp, [&](size_t i) { return sum(i, kWarp); });
}

static void run_matmul(const Measure& measure, int side) {
  std::vector<float> a = numbers(side * kDepth), b = numbers(kDepth * side);
  Buffer<float> left(a), right(b), out(side * side);
  dim3 grid(side / kTile, side / kTile), block(kTile, kTile);
  measure.run(
      "matmul",
      [&] { matmul<<<grid, block>>>(left.data, right.data, out.data, side); },
      out, side * side,
      [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < kDepth; k++)
          sum += a[i / side * kDepth + k] * b[k * side + i % side];
        return sum;
      });
}

static void run_histogram(const Measure& measure, int threads) {
  std::vector<int> values(threads * kEach), counts(kBins);
  for (size_t i = 0; i < values.size(); i++) {
    values[i] = i * 2654435761u >> 20;
    counts[values[i] % kBins]++;
  }
  Buffer<int> in(values), out(kBins);
  int n = values.size();
  measure.run(
      "histogram",
      [&] { histogram<<<threads / kBlock, kBlock>>>(in.data, out.data, n); },
      out, kBins, [&](size_t i) { return double(counts[i]); });
}

static void run_wide(const Measure& measure, int side) {
  int wide = side * 2;
  std::vector<float> x = numbers(wide * wide);
  Buffer<float> in(x), out(wide * wide);
  dim3 grid(wide / kSquare, wide / kSquare), block(kSquare, kRows);
  measure.run(
      "transpose", [&] { transpose<<<grid, block>>>(in.data, out.data, wide); },
      out, wide * wide,
      [&](size_t i) { return x[i % wide * wide + i / wide]; });
  std::vector<double> sums(wide * wide / kColumns);
  for (size_t i = 0; i < x.size(); i++) sums[i / kColumns] += std::exp(x[i]);
  measure.run(
      "softmax", [&] { softmax<<<sums.size(), kBlock>>>(in.data, out.data); },
      out, wide * wide,
      [&](size_t i) { return std::exp(double(x[i])) / sums[i / kColumns]; });
}

int main(int count, char** arguments) {
  int side = count == 3 ? std::atoi(arguments[1]) : 0;
  if (side <= 0 || side % kSquare) fail("SIDE, a multiple of 32, and SECONDS");
  Measure measure(side, std::atof(arguments[2]));
  run_flat(measure, side * side);
  run_matmul(measure, side);
  run_histogram(measure, side * side);
  run_wide(measure, side);
}
