// Transposition through a tile of shared memory that is a column wider than
// it has to be, for elements of 1 to 16 bytes; and in place.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

constexpr int kTile = 16;
constexpr int kRows = 4;  // of a tile that a pass of the block moves

template <typename T>
__global__ void __launch_bounds__(kTile* kRows)
    transpose_kernel(const T* __restrict__ from, T* __restrict__ to, int rows,
                     int columns) {
  __shared__ T tile[kTile][kTile + 1];
  const int x = static_cast<int>(blockIdx.x) * kTile;
  const int y = static_cast<int>(blockIdx.y) * kTile;
  const int column = static_cast<int>(threadIdx.x);
  for (int row = static_cast<int>(threadIdx.y); row < kTile; row += kRows) {
    if (x + column < columns && y + row < rows) {
      tile[row][column] =
          from[static_cast<Count>(y + row) * columns + x + column];
    }
  }
  __syncthreads();
  for (int row = static_cast<int>(threadIdx.y); row < kTile; row += kRows) {
    if (y + column < rows && x + row < columns) {
      to[static_cast<Count>(x + row) * rows + y + column] = tile[column][row];
    }
  }
}

template <typename T>
void transpose(const void* from, void* to, Count rows, Count columns) {
  if (rows * columns == 0) return;
  const Stream stream;
  const DeviceArray<T> source(stream, static_cast<const T*>(from),
                              rows * columns);
  const DeviceArray<T> target(stream, rows * columns);
  const dim3 grid(divided_up(columns, kTile), divided_up(rows, kTile));
  transpose_kernel<T><<<grid, dim3(kTile, kRows), 0, stream.get()>>>(
      source.get(), target.get(), static_cast<int>(rows),
      static_cast<int>(columns));
  check_launch();
  target.copy_to(static_cast<T*>(to));
  stream.synchronize();
}

// Swaps a tile with its mirror image; a block of the diagonal has only one.
__global__ void transpose_square_kernel(double* values, int size) {
  __shared__ double upper[kTile][kTile + 1];
  __shared__ double lower[kTile][kTile + 1];
  if (blockIdx.x < blockIdx.y) return;
  const int column = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * kTile;
  const int y = static_cast<int>(blockIdx.y) * kTile;
  const bool in_upper = x + column < size && y + row < size;
  const bool in_lower = y + column < size && x + row < size;
  double* above = values + static_cast<Count>(y + row) * size + x + column;
  double* below = values + static_cast<Count>(x + row) * size + y + column;
  if (in_upper) upper[row][column] = *above;
  if (in_lower) lower[row][column] = *below;
  __syncthreads();
  if (in_upper) *above = lower[column][row];
  if (in_lower) *below = upper[column][row];
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_transpose(Count bytes, const void* from, void* to, Count rows,
                     Count columns) {
  return guarded([&] {
    switch (bytes) {
      case 1:
        return transpose<unsigned char>(from, to, rows, columns);
      case 2:
        return transpose<unsigned short>(from, to, rows, columns);
      case 4:
        return transpose<float>(from, to, rows, columns);
      case 8:
        return transpose<double>(from, to, rows, columns);
      case 16:
        return transpose<double2>(from, to, rows, columns);
      default:
        throw Failure{cudaErrorInvalidValue};
    }
  });
}

int parity_transpose_square(double* values, Count size) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<double> square(stream, values, size * size);
    const unsigned tiles = divided_up(size, kTile);
    transpose_square_kernel<<<dim3(tiles, tiles), dim3(kTile, kTile), 0,
                              stream.get()>>>(square.get(),
                                              static_cast<int>(size));
    check_launch();
    square.copy_to(values);
    stream.synchronize();
  });
}
