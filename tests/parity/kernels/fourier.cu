// The fast Fourier transform of rows in shared memory, by Stockham's steps.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

__device__ float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Rows of `size`, a power of two; a thread has two elements. The dynamic memory
// holds two rows, from one of which each step goes to the other.
__global__ void fourier_kernel(const float2* from, float2* to, int size,
                               float sign) {
  extern __shared__ float2 rows[];
  const int half = size / 2;
  const int thread = static_cast<int>(threadIdx.x);
  const Count start = static_cast<Count>(blockIdx.x) * size;
  float2* current = rows;
  float2* next = rows + size;
  current[thread] = from[start + thread];
  current[thread + half] = from[start + thread + half];
  for (int length = 1; length < size; length *= 2) {
    __syncthreads();
    const int place = thread % length;
    float sine = 0;
    float cosine = 0;
    sincospif(sign * static_cast<float>(place) / static_cast<float>(length),
              &sine, &cosine);
    const float2 low = current[thread];
    const float2 high =
        product(current[thread + half], make_float2(cosine, sine));
    const int at = 2 * thread - place;
    next[at] = make_float2(low.x + high.x, low.y + high.y);
    next[at + length] = make_float2(low.x - high.x, low.y - high.y);
    float2* const kept = current;
    current = next;
    next = kept;
  }
  __syncthreads();
  to[start + thread] = current[thread];
  to[start + thread + half] = current[thread + half];
}

}  // namespace
}  // namespace parity

using namespace parity;

// Not scaled, in both directions. `size`: a power of two from 2 to 1,024.
int parity_fourier(const void* from, void* to, Count rows, Count size,
                   Count inverse) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float2> source(stream, static_cast<const float2*>(from),
                                     rows * size);
    const DeviceArray<float2> target(stream, rows * size);
    const std::size_t shared =
        2 * static_cast<std::size_t>(size) * sizeof(float2);
    fourier_kernel<<<static_cast<unsigned>(rows),
                     static_cast<unsigned>(size / 2), shared, stream.get()>>>(
        source.get(), target.get(), static_cast<int>(size),
        inverse != 0 ? 1.0F : -1.0F);
    check_launch();
    target.copy_to(static_cast<float2*>(to));
    stream.synchronize();
  });
}
