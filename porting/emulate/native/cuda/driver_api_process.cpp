// The driver as a whole: initialization, versions, errors, profiling.
#include <cudaProfiler.h>

#include "front.h"
#include "release.h"

using namespace eclosion::cuda;

CUresult cuInit(unsigned flags) {
  return driver_call(__func__, kNothing, [&]() -> DriverResult {
    return flags != 0 ? Status::kInvalidValue : initialize();
  });
}

CUresult cuDriverGetVersion(int* version) {
  return driver_call(__func__, kNothing, [&]() -> DriverResult {
    if (version == nullptr) return Status::kInvalidValue;
    *version = release_number();
    return Status::kSuccess;
  });
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = driver_error_name(static_cast<int>(error));
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const int number = static_cast<int>(error);
  *text = driver_error_name(number) != nullptr ? error_text(number) : nullptr;
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Nobody listens.
CUresult cuProfilerStart() {
  return driver_call(__func__, kDriver,
                     []() -> DriverResult { return Status::kSuccess; });
}

CUresult cuProfilerStop() {
  return driver_call(__func__, kDriver,
                     []() -> DriverResult { return Status::kSuccess; });
}
