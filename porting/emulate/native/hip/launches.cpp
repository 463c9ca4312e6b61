// The functions that launch kernels.
#include "device.h"
#include "front.h"
#include "kernels.h"
#include "objects.h"

namespace eclosion::hip {

namespace {

struct Shape {
  dim3 grid;
  dim3 block;
  std::size_t shared;
  hipStream_t stream;
  bool is_cooperative = false;
};

hipError_t launch_host(const char* name, const void* function,
                       const Shape& shape, void** values, const void* site) {
  return call(name, [&]() -> hipError_t {
    if (function == nullptr) return hipErrorInvalidDeviceFunction;
    return launch(shape.stream,
                  {{function},
                   shape.grid,
                   shape.block,
                   shape.shared,
                   shape.is_cooperative},
                  {values}, site);
  });
}

hipError_t launch_module(const char* name, hipFunction_t handle,
                         const Shape& shape, void** values, void** extra,
                         const void* site) {
  return call(name, [&]() -> hipError_t {
    const auto function = find_function(handle);
    if (function == nullptr) return hipErrorInvalidHandle;
    if (values != nullptr && extra != nullptr) return hipErrorInvalidValue;
    Arguments arguments{values};
    if (extra != nullptr) {
      const hipError_t status = read_extra(extra, &arguments);
      if (status != hipSuccess) return status;
    }
    return launch(shape.stream,
                  {*function, shape.grid, shape.block, shape.shared,
                   shape.is_cooperative},
                  arguments, site);
  });
}

hipError_t record_if(hipEvent_t event, hipStream_t stream) {
  return event == nullptr ? hipSuccess : hipEventRecord(event, stream);
}

bool is_cooperative(const hipLaunchAttribute* attributes, unsigned count) {
  for (unsigned i = 0; attributes != nullptr && i < count; ++i) {
    const bool is_it = attributes[i].id == hipLaunchAttributeCooperative;
    if (is_it && attributes[i].val.cooperative != 0) return true;
  }
  return false;
}

// Each of a list of launches, checked before any begins.
hipError_t launch_all(const char* name, hipLaunchParams* list, int count,
                      bool is_cooperative, const void* site) {
  if (list == nullptr || count <= 0 || count > emulator::device_count()) {
    return remember(hipErrorInvalidValue);
  }
  for (int i = 0; i < count; ++i) {
    // HIP documentation, "HIP API 7.0 changes", "Cooperative groups changes".
    const auto owned = streams().find(list[i].stream);
    if (owned == nullptr) return remember(hipErrorInvalidResourceHandle);
    if (owned->stream->capture_state() != emulator::CaptureState::kNone) {
      return remember(hipErrorStreamCaptureUnsupported);
    }
  }
  for (int i = 0; i < count; ++i) {
    const hipLaunchParams& each = list[i];
    const hipError_t status =
        launch_host(name, each.func,
                    {each.gridDim, each.blockDim, each.sharedMem, each.stream,
                     is_cooperative},
                    each.args, site);
    if (status != hipSuccess) return status;
  }
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block,
                           void** values, std::size_t shared,
                           hipStream_t stream) {
  return launch_host(__func__, function, {grid, block, shared, stream}, values,
                     launch_site(__builtin_return_address(0)));
}

hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block,
                              void** values, std::size_t shared,
                              hipStream_t stream, hipEvent_t start,
                              hipEvent_t stop, int /*flags*/) {
  const void* site = __builtin_return_address(0);
  hipError_t status = record_if(start, stream);
  if (status != hipSuccess) return status;
  status = launch_host(__func__, function, {grid, block, shared, stream},
                       values, site);
  return status != hipSuccess ? status : record_if(stop, stream);
}

hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid,
                                      dim3 block, void** values,
                                      unsigned shared, hipStream_t stream) {
  return launch_host(__func__, function, {grid, block, shared, stream, true},
                     values, __builtin_return_address(0));
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config,
                              const void* function, void** values) {
  const void* site = __builtin_return_address(0);
  if (config == nullptr) return remember(hipErrorInvalidConfiguration);
  const bool cooperates = is_cooperative(config->attrs, config->numAttrs);
  return launch_host(__func__, function,
                     {config->gridDim, config->blockDim,
                      config->dynamicSmemBytes, config->stream, cooperates},
                     values, site);
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                 unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared,
                                 hipStream_t stream, void** values,
                                 void** extra) {
  return launch_module(
      __func__, function,
      {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream},
      values, extra, __builtin_return_address(0));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function,
                                            unsigned grid_x, unsigned grid_y,
                                            unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z,
                                            unsigned shared, hipStream_t stream,
                                            void** values) {
  return launch_module(__func__, function,
                       {{grid_x, grid_y, grid_z},
                        {block_x, block_y, block_z},
                        shared,
                        stream,
                        true},
                       values, nullptr, __builtin_return_address(0));
}

// hip_ext.h, which not every tree has, declares this; sizes are in work items.
hipError_t hipExtModuleLaunchKernel(
    hipFunction_t function, std::uint32_t items_x, std::uint32_t items_y,
    std::uint32_t items_z, std::uint32_t block_x, std::uint32_t block_y,
    std::uint32_t block_z, std::size_t shared, hipStream_t stream,
    void** values, void** extra, hipEvent_t start, hipEvent_t stop,
    std::uint32_t /*flags*/) {
  const void* site = __builtin_return_address(0);
  const auto blocks = [](std::uint32_t items, std::uint32_t block) {
    return block == 0 ? 0 : (items + block - 1) / block;
  };
  hipError_t status = record_if(start, stream);
  if (status != hipSuccess) return status;
  status = launch_module(__func__, function,
                         {{blocks(items_x, block_x), blocks(items_y, block_y),
                           blocks(items_z, block_z)},
                          {block_x, block_y, block_z},
                          shared,
                          stream},
                         values, extra, site);
  return status != hipSuccess ? status : record_if(stop, stream);
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config,
                                hipFunction_t function, void** values,
                                void** extra) {
  const void* site = __builtin_return_address(0);
  if (config == nullptr) return remember(hipErrorInvalidValue);
  const bool cooperates = is_cooperative(config->attrs, config->numAttrs);
  return launch_module(
      __func__, function,
      {{config->gridDimX, config->gridDimY, config->gridDimZ},
       {config->blockDimX, config->blockDimY, config->blockDimZ},
       config->sharedMemBytes,
       config->hStream,
       cooperates},
      values, extra, site);
}

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* list,
                                                 int count, unsigned) {
  return launch_all(__func__, list, count, true, __builtin_return_address(0));
}

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* list, int count,
                                              unsigned) {
  return launch_all(__func__, list, count, false, __builtin_return_address(0));
}

}  // extern "C"
