// Matrix products: tiles in shared memory over types, register blocks with
// vector stores, batches, and narrow factors with float sums.
#include "elements.h"
#include "kernels.h"

namespace parity {
namespace {

constexpr int kTile = 16;

// to = alpha * a b + beta * to, for row-major a (m x k), b (k x n).
template <typename T>
__global__ void __launch_bounds__(kTile* kTile)
    matmul_kernel(const T* __restrict__ a, const T* __restrict__ b, T* to,
                  int m, int n, int k, T alpha, T beta) {
  __shared__ T left[kTile][kTile];
  __shared__ T right[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + y;
  const int column = static_cast<int>(blockIdx.x) * kTile + x;
  T sum = T(0);
  for (int start = 0; start < k; start += kTile) {
    left[y][x] = row < m && start + x < k ? a[row * k + start + x] : T(0);
    right[y][x] =
        column < n && start + y < k ? b[(start + y) * n + column] : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < m && column < n) {
    to[row * n + column] = alpha * sum + beta * to[row * n + column];
  }
}

template <typename T>
void matmul(const void* a, const void* b, void* to, Count m, Count n, Count k,
            double alpha, double beta) {
  const Stream stream;
  const DeviceArray<T> left(stream, static_cast<const T*>(a), m * k);
  const DeviceArray<T> right(stream, static_cast<const T*>(b), k * n);
  const DeviceArray<T> target(stream, static_cast<const T*>(to), m * n);
  const dim3 grid(divided_up(n, kTile), divided_up(m, kTile));
  matmul_kernel<T><<<grid, dim3(kTile, kTile), 0, stream.get()>>>(
      left.get(), right.get(), target.get(), static_cast<int>(m),
      static_cast<int>(n), static_cast<int>(k), static_cast<T>(alpha),
      static_cast<T>(beta));
  check_launch();
  target.copy_to(static_cast<T*>(to));
  stream.synchronize();
}

// A thread calculates a square of kSide x kSide in registers, out of tiles of
// kDepth columns of a and rows of b. All sizes are multiples of the tiles'.
template <int kSide, int kDepth>
__global__ void register_matmul_kernel(const float* __restrict__ a,
                                       const float* __restrict__ b,
                                       float* __restrict__ to, int n, int k) {
  constexpr int kThreadsPerSide = 8;
  constexpr int kBlock = kSide * kThreadsPerSide;
  __shared__ float left[kDepth][kBlock];
  __shared__ float right[kDepth][kBlock];
  const int thread = static_cast<int>(threadIdx.x);
  const int y = thread / kThreadsPerSide * kSide;
  const int x = thread % kThreadsPerSide * kSide;
  const float* rows = a + static_cast<Count>(blockIdx.y) * kBlock * k;
  const float* columns = b + static_cast<Count>(blockIdx.x) * kBlock;
  float sums[kSide][kSide] = {};
  for (int start = 0; start < k; start += kDepth) {
    for (int i = thread; i < kBlock * kDepth;
         i += kThreadsPerSide * kThreadsPerSide) {
      left[i % kDepth][i / kDepth] = rows[i / kDepth * k + start + i % kDepth];
      right[i / kBlock][i % kBlock] =
          columns[(start + i / kBlock) * n + i % kBlock];
    }
    __syncthreads();
    for (int depth = 0; depth < kDepth; ++depth) {
#pragma unroll
      for (int i = 0; i < kSide; ++i) {
#pragma unroll
        for (int j = 0; j < kSide; ++j) {
          sums[i][j] =
              fmaf(left[depth][y + i], right[depth][x + j], sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
  float* target = to + (static_cast<Count>(blockIdx.y) * kBlock + y) * n +
                  blockIdx.x * kBlock + x;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; j += 4) {
      *reinterpret_cast<float4*>(target + i * n + j) = make_float4(
          sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    }
  }
}

// A product for each block of the grid's depth; b is given transposed.
template <typename T>
__global__ void batched_matmul_kernel(const T* a, const T* b, float* to, int m,
                                      int n, int k) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= m || column >= n) return;
  const T* left = a + (static_cast<Count>(blockIdx.z) * m + row) * k;
  const T* right = b + (static_cast<Count>(blockIdx.z) * n + column) * k;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += widened(left[i]) * widened(right[i]);
  to[(static_cast<Count>(blockIdx.z) * m + row) * n + column] = sum;
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_matmul(Count element, const void* a, const void* b, void* to,
                  Count m, Count n, Count k, double alpha, double beta) {
  return guarded([&] {
    with_number(element, [&](auto type) {
      using T = typename decltype(type)::type;
      matmul<T>(a, b, to, m, n, k, alpha, beta);
    });
  });
}

// m and n are multiples of 32, k is one of 8.
int parity_register_matmul(const float* a, const float* b, float* to, Count m,
                           Count n, Count k) {
  return guarded([&] {
    constexpr int kSide = 4;
    constexpr int kDepth = 8;
    constexpr int kBlock = kSide * 8;
    if (m % kBlock + n % kBlock + k % kDepth != 0) {
      throw Failure{cudaErrorInvalidValue};
    }
    const Stream stream;
    const DeviceArray<float> left(stream, a, m * k);
    const DeviceArray<float> right(stream, b, k * n);
    const DeviceArray<float> target(stream, m * n);
    const dim3 grid(static_cast<unsigned>(n / kBlock),
                    static_cast<unsigned>(m / kBlock));
    register_matmul_kernel<kSide, kDepth><<<grid, 64, 0, stream.get()>>>(
        left.get(), right.get(), target.get(), static_cast<int>(n),
        static_cast<int>(k));
    check_launch();
    target.copy_to(to);
    stream.synchronize();
  });
}

int parity_batched_matmul(Count element, const void* a, const void* b,
                          float* to, Count batches, Count m, Count n, Count k) {
  return guarded([&] {
    with_narrow(element, [&](auto type) {
      using T = typename decltype(type)::type;
      const Stream stream;
      const DeviceArray<T> left(stream, static_cast<const T*>(a),
                                batches * m * k);
      const DeviceArray<T> right(stream, static_cast<const T*>(b),
                                 batches * n * k);
      const DeviceArray<float> target(stream, batches * m * n);
      const dim3 grid(divided_up(n, 8), divided_up(m, 8),
                      static_cast<unsigned>(batches));
      batched_matmul_kernel<T><<<grid, dim3(8, 8), 0, stream.get()>>>(
          left.get(), right.get(), target.get(), static_cast<int>(m),
          static_cast<int>(n), static_cast<int>(k));
      check_launch();
      target.copy_to(to);
      stream.synchronize();
    });
  });
}
