// Sparse matrix times vector: rows by thread, by warp and by tile, coordinates
// with atomics, and padded rows.
#include <cooperative_groups.h>

#include "elements.h"
#include "kernels.h"
#include "operators.h"
#include "warp.cuh"

namespace cg = cooperative_groups;

namespace parity {
namespace {

// Rows are [starts[row], starts[row + 1]) of columns and values.
template <typename T>
struct Csr {
  const int* starts;
  const int* columns;
  const T* values;
  int rows;
};

template <typename T>
__global__ void by_thread_kernel(Csr<T> matrix, const T* __restrict__ vector,
                                 T* __restrict__ result) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= matrix.rows) return;
  T sum = 0;
  for (int i = matrix.starts[row]; i < matrix.starts[row + 1]; ++i) {
    sum += matrix.values[i] * __ldg(vector + matrix.columns[i]);
  }
  result[row] = sum;
}

template <typename T>
__global__ void by_warp_kernel(Csr<T> matrix, const T* __restrict__ vector,
                               T* __restrict__ result) {
  const int row = static_cast<int>(blockIdx.x) * warps() + warp();
  if (row >= matrix.rows) return;
  T sum = 0;
  for (int i = matrix.starts[row] + lane(); i < matrix.starts[row + 1];
       i += warpSize) {
    sum += matrix.values[i] * __ldg(vector + matrix.columns[i]);
  }
  sum = warp_reduce(sum, Sum{});
  if (lane() == 0) result[row] = sum;
}

template <typename T, int kTile>
__global__ void by_tile_kernel(Csr<T> matrix, const T* __restrict__ vector,
                               T* __restrict__ result) {
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  const int row = static_cast<int>(blockIdx.x * tile.meta_group_size() +
                                   tile.meta_group_rank());
  if (row >= matrix.rows) return;
  const int first = matrix.starts[row] + static_cast<int>(tile.thread_rank());
  T sum = 0;
  for (int i = first; i < matrix.starts[row + 1]; i += kTile) {
    sum += matrix.values[i] * vector[matrix.columns[i]];
  }
  for (unsigned distance = kTile / 2; distance > 0; distance /= 2) {
    sum += tile.shfl_down(sum, distance);
  }
  if (tile.thread_rank() == 0) result[row] = sum;
}

template <typename T>
__global__ void coordinates_kernel(const int* rows, const int* columns,
                                   const T* values, int count, const T* vector,
                                   T* result) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) atomicAdd(&result[rows[i]], values[i] * vector[columns[i]]);
}

// Rows of `width` places, column after column; a column of -1 is none.
template <typename T>
__global__ void padded_kernel(const int* columns, const T* values, int rows,
                              int width, const T* vector, T* result) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  T sum = 0;
  for (int place = 0; place < width; ++place) {
    const int column = columns[place * rows + row];
    if (column >= 0) sum += values[place * rows + row] * vector[column];
  }
  result[row] = sum;
}

template <typename Body>
void with_real(Count element, Body body) {
  switch (element) {
    case kFloat32:
      return body(Type<float>{});
    case kFloat64:
      return body(Type<double>{});
    default:
      throw Failure{cudaErrorInvalidValue};
  }
}

}  // namespace
}  // namespace parity

using namespace parity;

// How: 0 by thread, 1 by warp, else by tiles of 4, 8 or 16 threads.
int parity_spmv_csr(Count how, Count element, const int* starts,
                    const int* columns, const void* values, Count rows,
                    Count width, Count stored, const void* vector,
                    void* result) {
  return guarded([&] {
    with_real(element, [&](auto type) {
      using T = typename decltype(type)::type;
      const Stream stream;
      const DeviceArray<int> limits(stream, starts, rows + 1);
      const DeviceArray<int> places(stream, columns, stored);
      const DeviceArray<T> numbers(stream, static_cast<const T*>(values),
                                   stored);
      const DeviceArray<T> factor(stream, static_cast<const T*>(vector), width);
      const DeviceArray<T> target(stream, rows);
      const Csr<T> matrix{limits.get(), places.get(), numbers.get(),
                          static_cast<int>(rows)};
      const auto run = [&](auto kernel, Count threads_per_row) {
        const unsigned blocks = divided_up(rows * threads_per_row, kThreads);
        kernel<<<blocks, kThreads, 0, stream.get()>>>(matrix, factor.get(),
                                                      target.get());
        check_launch();
      };
      switch (how) {
        case 0:
          run(by_thread_kernel<T>, 1);
          break;
        case 1:
          run(by_warp_kernel<T>, warp_size());
          break;
        case 4:
          run(by_tile_kernel<T, 4>, 4);
          break;
        case 8:
          run(by_tile_kernel<T, 8>, 8);
          break;
        case 16:
          run(by_tile_kernel<T, 16>, 16);
          break;
        default:
          throw Failure{cudaErrorInvalidValue};
      }
      target.copy_to(static_cast<T*>(result));
      stream.synchronize();
    });
  });
}

int parity_spmv_coordinates(Count element, const int* rows, const int* columns,
                            const void* values, Count stored, Count height,
                            Count width, const void* vector, void* result) {
  return guarded([&] {
    with_real(element, [&](auto type) {
      using T = typename decltype(type)::type;
      const Stream stream;
      const DeviceArray<int> at_rows(stream, rows, stored);
      const DeviceArray<int> at_columns(stream, columns, stored);
      const DeviceArray<T> numbers(stream, static_cast<const T*>(values),
                                   stored);
      const DeviceArray<T> factor(stream, static_cast<const T*>(vector), width);
      DeviceArray<T> target(stream, height);
      target.zero();
      const unsigned blocks = std::max(1U, divided_up(stored, kThreads));
      coordinates_kernel<<<blocks, kThreads, 0, stream.get()>>>(
          at_rows.get(), at_columns.get(), numbers.get(),
          static_cast<int>(stored), factor.get(), target.get());
      check_launch();
      target.copy_to(static_cast<T*>(result));
      stream.synchronize();
    });
  });
}

int parity_spmv_padded(Count element, const int* columns, const void* values,
                       Count rows, Count places, Count width,
                       const void* vector, void* result) {
  return guarded([&] {
    with_real(element, [&](auto type) {
      using T = typename decltype(type)::type;
      const Stream stream;
      const DeviceArray<int> which(stream, columns, rows * places);
      const DeviceArray<T> numbers(stream, static_cast<const T*>(values),
                                   rows * places);
      const DeviceArray<T> factor(stream, static_cast<const T*>(vector), width);
      const DeviceArray<T> target(stream, rows);
      padded_kernel<<<divided_up(rows, kThreads), kThreads, 0, stream.get()>>>(
          which.get(), numbers.get(), static_cast<int>(rows),
          static_cast<int>(places), factor.get(), target.get());
      check_launch();
      target.copy_to(static_cast<T*>(result));
      stream.synchronize();
    });
  });
}
