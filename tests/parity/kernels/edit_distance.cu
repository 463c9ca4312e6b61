// The edit distance of pairs of words: a block goes along the diagonals of the
// table of one pair, of which shared memory holds three.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

constexpr int kMaxLength = 128;

// Words are rows of `stride` letters; `lengths` has the first's and the
// second's.
__global__ void edit_distance_kernel(const char* first, const char* second,
                                     int stride, const int2* lengths,
                                     int* distances) {
  __shared__ int diagonals[3][kMaxLength + 1];
  const char* a = first + blockIdx.x * stride;
  const char* b = second + blockIdx.x * stride;
  const int2 length = lengths[blockIdx.x];
  for (int sum = 0; sum <= length.x + length.y; ++sum) {
    int* current = diagonals[sum % 3];
    const int* left = diagonals[(sum + 2) % 3];
    const int* corner = diagonals[(sum + 1) % 3];
    for (int i = static_cast<int>(threadIdx.x); i <= length.x;
         i += static_cast<int>(blockDim.x)) {
      const int j = sum - i;
      if (j < 0 || j > length.y) continue;
      if (i == 0 || j == 0) {
        current[i] = sum;
      } else {
        const int change = corner[i - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
        current[i] = min(change, 1 + min(left[i - 1], left[i]));
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    distances[blockIdx.x] = diagonals[(length.x + length.y) % 3][length.x];
  }
}

}  // namespace
}  // namespace parity

using namespace parity;

// Words of at most 128 letters.
int parity_edit_distances(const char* first, const char* second, Count stride,
                          const int* lengths, Count pairs, int* distances) {
  return guarded([&] {
    if (stride > kMaxLength) throw Failure{cudaErrorInvalidValue};
    const Stream stream;
    const DeviceArray<char> left(stream, first, pairs * stride);
    const DeviceArray<char> right(stream, second, pairs * stride);
    const DeviceArray<int2> limits(
        stream, reinterpret_cast<const int2*>(lengths), pairs);
    const DeviceArray<int> target(stream, pairs);
    edit_distance_kernel<<<static_cast<unsigned>(pairs), 64, 0, stream.get()>>>(
        left.get(), right.get(), static_cast<int>(stride), limits.get(),
        target.get());
    check_launch();
    target.copy_to(distances);
    stream.synchronize();
  });
}
