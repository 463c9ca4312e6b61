// Launches of kernels, and what is asked of functions, by the driver.
#include "device.h"
#include "front.h"
#include "functions.h"
#include "kernels.h"

namespace eclosion::cuda {
namespace {

// cuLaunchKernel (cuda.h): parameters come in one of two ways, not in both.
Status read_arguments(void** values, void** extra, Arguments* arguments) {
  arguments->values = values;
  if (extra == nullptr) return Status::kSuccess;
  return values != nullptr ? Status::kInvalidValue
                           : read_extra(extra, arguments);
}

CUresult launch_function(const char* name, CUstream stream, KernelNode node,
                         void** values, void** extra, const void* site) {
  return driver_call(name, kContext, [&]() -> DriverResult {
    if (!find_code(node.function)) return Status::kInvalidHandle;
    Arguments arguments;
    const Status status = read_arguments(values, extra, &arguments);
    if (status != Status::kSuccess) return status;
    return launch(stream, std::move(node), arguments, site);
  });
}

// As in the runtime.
Status read_attribute(const CUlaunchAttribute& attribute, KernelNode* node) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      node->is_cooperative = attribute.value.cooperative != 0;
      return Status::kSuccess;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& size = attribute.value.clusterDim;
      return size.x * size.y * size.z <= 1 ? Status::kSuccess
                                           : Status::kNotSupported;
    }
    default:
      return check_attribute(attribute.id);
  }
}

template <typename Work>
CUresult ask(const char* name, const void* function, Work&& work) {
  return driver_call(name, kContext, [&]() -> DriverResult {
    if (!find_code(function)) return Status::kInvalidHandle;
    return work(emulator::current_device());
  });
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared, CUstream stream,
                        void** values, void** extra) {
  KernelNode node;
  node.function = function;
  node.grid = {grid_x, grid_y, grid_z};
  node.block = {block_x, block_y, block_z};
  node.dynamic_shared = shared;
  return launch_function(__func__, stream, std::move(node), values, extra,
                         ECLOSION_SITE);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                                   unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared,
                                   CUstream stream, void** values) {
  KernelNode node;
  node.function = function;
  node.grid = {grid_x, grid_y, grid_z};
  node.block = {block_x, block_y, block_z};
  node.dynamic_shared = shared;
  node.is_cooperative = true;
  return launch_function(__func__, stream, std::move(node), values, nullptr,
                         ECLOSION_SITE);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                          void** values, void** extra) {
  const void* const site = ECLOSION_SITE;
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  KernelNode node;
  node.function = function;
  node.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  node.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  node.dynamic_shared = config->sharedMemBytes;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const Status status = read_attribute(config->attrs[i], &node);
    if (status != Status::kSuccess) return driver_code(status);
  }
  return launch_function(__func__, config->hStream, std::move(node), values,
                         extra, site);
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                            CUfunction function) {
  return ask(__func__, function, [&](int device) -> DriverResult {
    if (value == nullptr) return Status::kInvalidValue;
    return function_attribute(function, device, attribute, value);
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  return ask(__func__, function, [&](int device) -> DriverResult {
    return set_function_attribute(function, device, attribute, value);
  });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute,
                              CUkernel kernel, CUdevice device) {
  return ask(__func__, kernel, [&](int) -> DriverResult {
    if (value == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    return function_attribute(kernel, device, attribute, value);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                              CUkernel kernel, CUdevice device) {
  return ask(__func__, kernel, [&](int) -> DriverResult {
    if (!is_device(device)) return Status::kInvalidDevice;
    return set_function_attribute(kernel, device, attribute, value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return ask(__func__, function, [&](int) -> DriverResult {
    return config > CU_FUNC_CACHE_PREFER_EQUAL ? Status::kInvalidValue
                                               : Status::kSuccess;
  });
}

namespace {

CUresult get_name(const char* call, const char** name, const void* function) {
  return ask(call, function, [&](int device) -> DriverResult {
    if (name == nullptr) return Status::kInvalidValue;
    emulator::Kernel* kernel = nullptr;
    const Status status = find_kernel(function, device, &kernel);
    if (status == Status::kSuccess) *name = kernel->record->name;
    return status;
  });
}

}  // namespace

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return get_name(__func__, name, function);
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return get_name(__func__, name, kernel);
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset,
                            size_t* size) {
  return ask(__func__, function, [&](int device) -> DriverResult {
    if (offset == nullptr) return Status::kInvalidValue;
    return parameter_info(function, device, index, offset, size);
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return ask(__func__, function, [&](int) -> DriverResult {
    if (state == nullptr) return Status::kInvalidValue;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return Status::kSuccess;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return ask(__func__, function,
             [](int) -> DriverResult { return Status::kSuccess; });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                     CUfunction function,
                                                     int block_size,
                                                     size_t shared) {
  return ask(__func__, function, [&](int device) -> DriverResult {
    return active_blocks(function, device, block_size, shared, blocks);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, CUfunction function, int block_size, size_t shared,
    unsigned flags) {
  return ask(__func__, function, [&](int device) -> DriverResult {
    if (flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) {
      return Status::kInvalidValue;
    }
    return active_blocks(function, device, block_size, shared, blocks);
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* blocks, int* block_size,
                                          CUfunction function,
                                          CUoccupancyB2DSize shared_of,
                                          size_t shared, int most) {
  return ask(__func__, function, [&](int device) -> DriverResult {
    return best_block_size(
        function, device,
        [&](int size) { return shared_of ? shared_of(size) : shared; }, most,
        blocks, block_size);
  });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* size,
                                                 CUfunction function,
                                                 int blocks, int block_size) {
  return ask(__func__, function, [&](int device) -> DriverResult {
    return available_shared(function, device, blocks, block_size, size);
  });
}
