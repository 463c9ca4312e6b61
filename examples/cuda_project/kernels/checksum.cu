// A checksum that does not depend on the order in which words are read.
#include "tidepool/device_buffer.h"
#include "tidepool/lanes.cuh"
#include "tidepool/launch.cuh"
#include "tidepool/statistics.h"

namespace tidepool {
namespace {

// Mixes a word with its position, so that swapped words are noticed.
__device__ __forceinline__ unsigned mix(unsigned word, unsigned position) {
  unsigned hash = swap_bytes(word) ^ (position * 0x9e3779b9u);
  hash = __funnelshift_l(hash, hash, bit_field(position, 3, 5));
  hash ^= bit_field(word, 11, 17);
  return hash * 0x85ebca6bu;
}

__global__ void __launch_bounds__(kThreads)
    checksum_kernel(const unsigned* __restrict__ words, std::size_t count,
                    unsigned* result) {
  unsigned hash = 0;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i =
           static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    hash ^= mix(words[i], static_cast<unsigned>(i));
  }
  hash = block_reduce(hash, 0u, Xor());
  if (threadIdx.x == 0) atomicXor(result, hash);
}

}  // namespace

std::uint32_t checksum(const void* data, std::size_t bytes,
                       cudaStream_t stream) {
  if (bytes % sizeof(unsigned) != 0) {
    throw GpuError("checksums cover whole words, got " + std::to_string(bytes) +
                   " bytes");
  }
  const std::size_t count = bytes / sizeof(unsigned);
  DeviceBuffer<unsigned> result(1, stream);
  result.fill_zero();
  TIDEPOOL_LAUNCH(checksum_kernel, grid_for(checksum_kernel, count), 0, stream,
                  static_cast<const unsigned*>(data), count, result.data());
  std::uint32_t value = 0;
  result.copy_to(&value);
  TIDEPOOL_CHECK(cudaStreamSynchronize(stream));
  return value;
}

}  // namespace tidepool
