// Launch a kernel so that a failure is the status of this launch, and of
// nothing before it.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "device.h"
#include "error.h"
#include "stream.h"

namespace eclosion::gpu {

inline constexpr unsigned kThreads = 256;
// More blocks than this only wait for each other: the kernels loop instead.
inline constexpr std::size_t kMaxBlocks = 4096;

// Blocks for one thread per item, up to kMaxBlocks.
inline unsigned blocks_for(std::size_t items) {
  const std::size_t wanted = (items + kThreads - 1) / kThreads;
  return static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, kMaxBlocks));
}

// The error state may hold somebody else's failure, so it is not asked: the
// launch function returns its own status. A stream takes kernels only while its
// device is the current one, which is 0 in every new thread.
template <typename... Parameters>
void launch(void (*kernel)(Parameters...), unsigned blocks,
            const Stream& stream, Parameters... values) {
  const DeviceScope scope(stream.device());
  std::array<void*, sizeof...(Parameters)> arguments{&values...};
  ECLOSION_CALL(cudaLaunchKernel, reinterpret_cast<const void*>(kernel),
                dim3(blocks), dim3(kThreads), arguments.data(), 0,
                stream.get());
}

}  // namespace eclosion::gpu
