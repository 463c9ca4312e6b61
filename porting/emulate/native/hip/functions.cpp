// What functions of device code are asked and told: attributes and occupancy.
#include <algorithm>

#include "device.h"
#include "devices.h"
#include "front.h"
#include "kernels.h"
#include "occupancy.h"

namespace eclosion::hip {

namespace {

using emulator::DeviceFacts;
using emulator::Kernel;

const DeviceFacts& facts() {
  return emulator::device_facts(emulator::current_device());
}

hipError_t find_host(const void* function, Kernel** kernel) {
  if (function == nullptr) return hipErrorInvalidDeviceFunction;
  return find_kernel({function}, use_current_device(), kernel);
}

hipError_t find_handle(hipFunction_t handle, Kernel** kernel) {
  const auto function = find_function(handle);
  if (function == nullptr) return hipErrorInvalidDeviceFunction;
  return find_kernel(*function, use_current_device(), kernel);
}

int most_threads(const Kernel& kernel) {
  return emulator::most_threads(kernel, facts());
}

// Registers and spilled memory are the compiler's for a device, and unknown.
hipFuncAttributes attributes_of(const Kernel& kernel) {
  hipFuncAttributes attributes{};
  attributes.sharedSizeBytes = kernel.record->static_shared;
  attributes.maxThreadsPerBlock = most_threads(kernel);
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(
      facts().limits.shared_bytes - kernel.record->static_shared);
  attributes.binaryVersion = facts().major * 10 + facts().minor;
  attributes.ptxVersion = attributes.binaryVersion;
  return attributes;
}

hipError_t value_of(const Kernel& kernel, hipFunction_attribute attribute,
                    int* value) {
  const hipFuncAttributes all = attributes_of(kernel);
  switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = all.maxThreadsPerBlock;
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(all.sharedSizeBytes);
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = 0;
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = all.binaryVersion;
      return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = all.maxDynamicSharedSizeBytes;
      return hipSuccess;
    default:
      return hipErrorInvalidValue;
  }
}

int blocks_per_processor(const Kernel& kernel, int threads,
                         std::size_t dynamic) {
  return emulator::blocks_per_processor(kernel, facts(), threads, dynamic);
}

hipError_t occupancy(hipError_t found, const Kernel* kernel, int* blocks,
                     int threads, std::size_t dynamic) {
  if (found != hipSuccess) return found;
  if (blocks == nullptr || threads <= 0) return hipErrorInvalidValue;
  *blocks = blocks_per_processor(*kernel, threads, dynamic);
  return hipSuccess;
}

// The largest of the block sizes at which most threads are on a device.
hipError_t best_block(hipError_t found, const Kernel* kernel, int* grid,
                      int* block, std::size_t dynamic, int limit) {
  if (found != hipSuccess) return found;
  if (grid == nullptr || block == nullptr) return hipErrorInvalidValue;
  const int wave = static_cast<int>(facts().wave_size);
  const int most = limit > 0 ? std::min(limit, most_threads(*kernel))
                             : most_threads(*kernel);
  *block = *grid = 0;
  int best = -1;
  for (int size = most; size > 0; size = (size - 1) / wave * wave) {
    const int blocks = blocks_per_processor(*kernel, size, dynamic);
    if (blocks * size <= best) continue;
    best = blocks * size;
    *block = size;
    *grid = blocks * facts().processors;
  }
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::Kernel;

extern "C" {

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes,
                                const void* function) {
  return call(__func__, [&] {
    if (attributes == nullptr) return hipErrorInvalidValue;
    Kernel* kernel = nullptr;
    const hipError_t status = find_host(function, &kernel);
    if (status == hipSuccess) *attributes = attributes_of(*kernel);
    return status;
  });
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute,
                               hipFunction_t function) {
  return call(__func__, [&] {
    if (value == nullptr) return hipErrorInvalidValue;
    Kernel* kernel = nullptr;
    const hipError_t status = find_handle(function, &kernel);
    return status != hipSuccess ? status : value_of(*kernel, attribute, value);
  });
}

// hip_runtime_api.h, hipFuncAttribute: "On AMD devices and some Nvidia devices,
// these hints and controls are ignored." The limit of a launch stays.
hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute,
                               int) {
  return call(__func__, [&]() -> hipError_t {
    if (attribute != hipFuncAttributeMaxDynamicSharedMemorySize &&
        attribute != hipFuncAttributePreferredSharedMemoryCarveout) {
      return hipErrorInvalidValue;
    }
    Kernel* kernel = nullptr;
    return find_host(function, &kernel);
  });
}

hipError_t hipFuncSetCacheConfig(const void* function, hipFuncCache_t) {
  return call(__func__, [&] {
    Kernel* kernel = nullptr;
    return find_host(function, &kernel);
  });
}

hipError_t hipFuncSetSharedMemConfig(const void* function, hipSharedMemConfig) {
  return call(__func__, [&] {
    Kernel* kernel = nullptr;
    return find_host(function, &kernel);
  });
}

hipError_t hipGetFuncBySymbol(hipFunction_t* made, const void* function) {
  return call(__func__, [&]() -> hipError_t {
    if (made == nullptr) return hipErrorInvalidValue;
    Kernel* kernel = nullptr;
    const hipError_t status = find_host(function, &kernel);
    if (status != hipSuccess) return status;
    *made = handle_of({function});
    return hipSuccess;
  });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                        const void* function,
                                                        int threads,
                                                        std::size_t dynamic) {
  return call(__func__, [&] {
    Kernel* kernel = nullptr;
    const hipError_t found = find_host(function, &kernel);
    return occupancy(found, kernel, blocks, threads, dynamic);
  });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, std::size_t dynamic,
    unsigned flags) {
  if (flags > hipOccupancyDisableCachingOverride) {
    return remember(hipErrorInvalidValue);
  }
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads,
                                                      dynamic);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block,
                                             const void* function,
                                             std::size_t dynamic, int limit) {
  return call(__func__, [&] {
    Kernel* kernel = nullptr;
    const hipError_t found = find_host(function, &kernel);
    return best_block(found, kernel, grid, block, dynamic, limit);
  });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, hipFunction_t function, int threads, std::size_t dynamic) {
  return call(__func__, [&] {
    Kernel* kernel = nullptr;
    const hipError_t found = find_handle(function, &kernel);
    return occupancy(found, kernel, blocks, threads, dynamic);
  });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, hipFunction_t function, int threads, std::size_t dynamic,
    unsigned flags) {
  if (flags > hipOccupancyDisableCachingOverride) {
    return remember(hipErrorInvalidValue);
  }
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function,
                                                            threads, dynamic);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block,
                                                   hipFunction_t function,
                                                   std::size_t dynamic,
                                                   int limit) {
  return call(__func__, [&] {
    Kernel* kernel = nullptr;
    const hipError_t found = find_handle(function, &kernel);
    return best_block(found, kernel, grid, block, dynamic, limit);
  });
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    int* grid, int* block, hipFunction_t function, std::size_t dynamic,
    int limit, unsigned flags) {
  if (flags > hipOccupancyDisableCachingOverride) {
    return remember(hipErrorInvalidValue);
  }
  return hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, dynamic,
                                                 limit);
}

}  // extern "C"
