// The driver's functions by name, asked for by way of the runtime.
#include <cuda_profiler_api.h>

#include "front.h"
#include "release.h"

namespace eclosion::cuda {
namespace {

cudaDriverEntryPointQueryResult result_of(
    CUdriverProcAddressQueryResult result) {
  switch (result) {
    case CU_GET_PROC_ADDRESS_SUCCESS:
      return cudaDriverEntryPointSuccess;
    case CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT:
      return cudaDriverEntryPointVersionNotSufficent;
    default:
      return cudaDriverEntryPointSymbolNotFound;
  }
}

// A name that is not known is no failure: the result says so.
RuntimeResult find_entry(const char* name, void** address, int release,
                         unsigned long long flags,
                         cudaDriverEntryPointQueryResult* result) {
  if (has_thread_stream() && flags == cudaEnableDefault) {
    flags = cudaEnablePerThreadDefaultStream;
  }
  CUdriverProcAddressQueryResult found{};
  const CUresult code = cuGetProcAddress(name, address, release, flags, &found);
  if (code != CUDA_SUCCESS) return static_cast<cudaError_t>(code);
  if (result != nullptr) *result = result_of(found);
  return Status::kSuccess;
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

cudaError_t cudaGetDriverEntryPoint(const char* name, void** address,
                                    unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return find_entry(name, address, release_number(), flags, result);
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char* name, void** address, unsigned release,
    unsigned long long flags, cudaDriverEntryPointQueryResult* result) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return find_entry(name, address, static_cast<int>(release), flags, result);
  });
}

// Nobody listens.
cudaError_t cudaProfilerStart() {
  return runtime_call(__func__, kDriver,
                      []() -> RuntimeResult { return Status::kSuccess; });
}

cudaError_t cudaProfilerStop() {
  return runtime_call(__func__, kDriver,
                      []() -> RuntimeResult { return Status::kSuccess; });
}
