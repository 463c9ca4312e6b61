// Kernel launches with error checks, and grids sized for the device.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "tidepool/check.h"

namespace tidepool {

constexpr int kThreads = 256;

// Enough blocks for `count` elements, but no more than the device can run.
template <typename Kernel>
int grid_for(Kernel kernel, std::size_t count, std::size_t shared_bytes = 0) {
  int device = 0;
  int processors = 0;
  int resident = 0;
  TIDEPOOL_CHECK(cudaGetDevice(&device));
  TIDEPOOL_CHECK(cudaDeviceGetAttribute(
      &processors, cudaDevAttrMultiProcessorCount, device));
  TIDEPOOL_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &resident, kernel, kThreads, shared_bytes));
  const std::size_t wanted = (count + kThreads - 1) / kThreads;
  const std::size_t most = static_cast<std::size_t>(processors) *
                           static_cast<std::size_t>(std::max(resident, 1));
  return static_cast<int>(std::clamp<std::size_t>(wanted, 1, most));
}

}  // namespace tidepool

// A templated kernel goes in parentheses: TIDEPOOL_LAUNCH((k<T, 4>), ...).
#define TIDEPOOL_LAUNCH(kernel, grid, shared, stream, ...)                     \
  do {                                                                         \
    kernel<<<(grid), ::tidepool::kThreads, (shared), (stream)>>>(__VA_ARGS__); \
    TIDEPOOL_CHECK(cudaPeekAtLastError());                                     \
  } while (0)
