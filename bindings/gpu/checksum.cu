// The checksum kernel: a sum over the words, first in each warp, then in each
// block.
#define ECLOSION_DEVICE __host__ __device__
#include "mixing.h"

#include "kernels.h"
#include "launch.h"
#include "memory.h"

namespace eclosion::gpu {
namespace {

using Word = unsigned long long;  // atomicAdd has no uint64_t

// The bytes may start anywhere, and the last word may be short.
__device__ Word word_at(const unsigned char* from, std::size_t number,
                        std::size_t size) {
  const std::size_t start = number * sizeof(Word);
  const unsigned char* at = from + start;
  if (start + sizeof(Word) <= size &&
      reinterpret_cast<std::uintptr_t>(at) % alignof(Word) == 0) {
    return *reinterpret_cast<const Word*>(at);
  }
  Word word = 0;
  for (std::size_t byte = 0; byte < sizeof(Word) && start + byte < size;
       ++byte) {
    word |= static_cast<Word>(at[byte]) << (8 * byte);
  }
  return word;
}

// The sum over the lanes of a warp, in its first lane.
__device__ Word warp_sum(Word value) {
  for (int distance = warpSize / 2; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xFFFFFFFFU, value, distance);
  }
  return value;
}

__global__ void checksum_kernel(Word* to, const unsigned char* from,
                                std::size_t size) {
  __shared__ Word partial[kThreads];
  const std::size_t words = (size + sizeof(Word) - 1) / sizeof(Word);
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t number =
      static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Word sum = number == 0 ? mix(size) : 0;
  for (; number < words; number += step) {
    sum += mix(word_at(from, number, size) ^ mix((number + 1) * kGolden));
  }
  sum = warp_sum(sum);
  const unsigned warp = threadIdx.x / warpSize;
  if (threadIdx.x % warpSize == 0) partial[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned other = 1; other < blockDim.x / warpSize; ++other) {
      sum += partial[other];
    }
    atomicAdd(to, sum);
  }
}

}  // namespace

void checksum(std::uintptr_t to, std::uintptr_t from, std::size_t size,
              const Stream& stream) {
  auto* target = reinterpret_cast<Word*>(to);
  fill(to, 0, sizeof(Word), stream);
  launch(checksum_kernel, blocks_for(size / sizeof(Word)), stream, target,
         reinterpret_cast<const unsigned char*>(from), size);
}

}  // namespace eclosion::gpu
