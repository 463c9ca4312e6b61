// Packing: a block per segment and round, 16 bytes a thread where everything is
// aligned.
#include "kernels.h"
#include "launch.h"

namespace eclosion::gpu {
namespace {

__device__ void copy_range(unsigned char* to, const unsigned char* from,
                           std::size_t size, std::size_t first,
                           std::size_t step) {
  const std::uintptr_t low = reinterpret_cast<std::uintptr_t>(to) |
                             reinterpret_cast<std::uintptr_t>(from);
  std::size_t done = 0;
  if (low % sizeof(uint4) == 0) {
    const std::size_t units = size / sizeof(uint4);
    for (std::size_t at = first; at < units; at += step) {
      reinterpret_cast<uint4*>(to)[at] =
          reinterpret_cast<const uint4*>(from)[at];
    }
    done = units * sizeof(uint4);
  }
  for (std::size_t at = done + first; at < size; at += step) to[at] = from[at];
}

// The blocks of column x go over one segment together.
__global__ void pack_kernel(unsigned char* buffer, const Segment* segments,
                            std::size_t count, bool into_buffer) {
  const std::size_t share = gridDim.x < count ? 1 : gridDim.x / count;
  const std::size_t part = blockIdx.x % share;
  for (std::size_t number = blockIdx.x / share; number < count;
       number += gridDim.x / share) {
    const Segment segment = segments[number];
    auto* apart = reinterpret_cast<unsigned char*>(segment.address);
    unsigned char* packed = buffer + segment.offset;
    copy_range(into_buffer ? packed : apart, into_buffer ? apart : packed,
               segment.size, part * blockDim.x + threadIdx.x,
               share * blockDim.x);
  }
}

void run(std::uintptr_t buffer, const Segment* segments, std::size_t count,
         bool into_buffer, const Stream& stream) {
  if (count == 0) return;
  launch(pack_kernel, static_cast<unsigned>(kMaxBlocks), stream,
         reinterpret_cast<unsigned char*>(buffer), segments, count,
         into_buffer);
}

}  // namespace

void pack(std::uintptr_t buffer, const Segment* segments, std::size_t count,
          const Stream& stream) {
  run(buffer, segments, count, true, stream);
}

void unpack(std::uintptr_t buffer, const Segment* segments, std::size_t count,
            const Stream& stream) {
  run(buffer, segments, count, false, stream);
}

}  // namespace eclosion::gpu
