// Launches of kernels, and the configuration that <<<>>> leaves for them.
#include <utility>
#include <vector>

#include "front.h"
#include "kernels.h"

namespace eclosion::cuda {
namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared;
  cudaStream_t stream;
  const void* site = nullptr;
};

// A launch may be asked for while the arguments of another are computed.
thread_local std::vector<Configuration> configurations;

// Where <<<>>> is that the next launch is of: launches themselves are called by
// stubs, which are in a file of nvcc's.
thread_local const void* launching = nullptr;

const void* launch_site(const void* site) {
  const void* const asked = std::exchange(launching, nullptr);
  return asked == nullptr ? site : asked;
}

emulator::Extent extent(dim3 size) { return {size.x, size.y, size.z}; }

cudaError_t launch_function(const char* name, const void* function,
                            const Configuration& configuration, void** values,
                            bool is_cooperative, const void* site) {
  return runtime_call(name, kContext, [&]() -> RuntimeResult {
    KernelNode node;
    node.function = function;
    node.grid = extent(configuration.grid);
    node.block = extent(configuration.block);
    node.dynamic_shared = configuration.shared;
    node.is_cooperative = is_cooperative;
    return launch(configuration.stream, std::move(node), {.values = values},
                  site);
  });
}

// kNotSupported: what is not emulated.
Status read_attribute(const cudaLaunchAttribute& attribute,
                      bool* is_cooperative) {
  switch (attribute.id) {
    case cudaLaunchAttributeCooperative:
      *is_cooperative = attribute.val.cooperative != 0;
      return Status::kSuccess;
    case cudaLaunchAttributeClusterDimension: {
      const auto& size = attribute.val.clusterDim;
      return size.x * size.y * size.z <= 1 ? Status::kSuccess
                                           : Status::kNotSupported;
    }
    default:
      return check_attribute(static_cast<CUlaunchAttributeID>(attribute.id));
  }
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     CUstream_st* stream) {
  configurations.push_back(
      {grid, block, shared, stream, __builtin_return_address(0)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                       void* stream) {
  if (configurations.empty()) return remember(cudaErrorMissingConfiguration);
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  launching = last.site;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return cudaGetKernel(kernel, function);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void** values, size_t shared,
                               cudaStream_t stream) {
  return launch_function("cudaLaunchKernel", kernel,
                         {grid, block, shared, stream}, values, false,
                         launch_site(ECLOSION_SITE));
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                    void** values, size_t shared,
                                    cudaStream_t stream) {
  const void* const site = launch_site(ECLOSION_SITE);
  eclosion_cuda_thread_stream(site);
  const cudaError_t code =
      launch_function("cudaLaunchKernel", kernel, {grid, block, shared, stream},
                      values, false, site);
  eclosion_cuda_thread_stream(nullptr);
  return code;
}

}  // extern "C"

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return runtime_call(__func__, kNothing, [&]() -> RuntimeResult {
    if (kernel == nullptr) return Status::kInvalidValue;
    *kernel = add_kernel({.host = function});
    return Status::kSuccess;
  });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                             void** values, size_t shared,
                             cudaStream_t stream) {
  return launch_function(__func__, function, {grid, block, shared, stream},
                         values, false, launch_site(ECLOSION_SITE));
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid,
                                        dim3 block, void** values,
                                        size_t shared, cudaStream_t stream) {
  return launch_function(__func__, function, {grid, block, shared, stream},
                         values, true, ECLOSION_SITE);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config,
                                const void* function, void** values) {
  const void* const site = ECLOSION_SITE;
  if (config == nullptr) return remember(cudaErrorInvalidValue);
  bool is_cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const Status status = read_attribute(config->attrs[i], &is_cooperative);
    if (status != Status::kSuccess) return remember(runtime_code(status));
  }
  return launch_function(__func__, function,
                         {config->gridDim, config->blockDim,
                          config->dynamicSmemBytes, config->stream},
                         values, is_cooperative, site);
}
