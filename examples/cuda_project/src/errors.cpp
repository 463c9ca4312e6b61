// Status codes in plain words.
#include <string>

#include "tidepool/check.h"
#include "tidepool/driver.h"

namespace tidepool {
namespace {

// code, what to try
#define TIDEPOOL_RUNTIME_ADVICE(X)                                           \
  X(cudaErrorInvalidValue, "check sizes and pointers")                       \
  X(cudaErrorMemoryAllocation, "free memory or ask for less")                \
  X(cudaErrorInitializationError, "was the process forked after first use?") \
  X(cudaErrorInvalidConfiguration, "the launch is too large for the device") \
  X(cudaErrorInvalidDevicePointer, "a host pointer went to the device")      \
  X(cudaErrorInsufficientDriver, "install a newer driver")                   \
  X(cudaErrorNoDevice, "no device is visible to this process")               \
  X(cudaErrorInvalidDevice, "the ordinal is out of range")                   \
  X(cudaErrorPeerAccessUnsupported, "the devices cannot reach each other")   \
  X(cudaErrorHostMemoryAlreadyRegistered, "the range is pinned already")     \
  X(cudaErrorIllegalAddress, "a kernel read or wrote outside its buffers")   \
  X(cudaErrorLaunchFailure, "a kernel failed; its context is lost")          \
  X(cudaErrorCooperativeLaunchTooLarge, "use fewer blocks")                  \
  X(cudaErrorStreamCaptureUnsupported, "the call cannot be recorded")        \
  X(cudaErrorNotSupported, "the device lacks this feature")

struct Advice {
  int code;
  const char* text;
};

#define TIDEPOOL_ROW(code, text) {static_cast<int>(code), text},
constexpr Advice kRuntimeAdvice[] = {TIDEPOOL_RUNTIME_ADVICE(TIDEPOOL_ROW)};
#undef TIDEPOOL_ROW

const char* driver_advice(CUresult status) {
  switch (status) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "free memory or ask for less";
    case CUDA_ERROR_NOT_INITIALIZED:
      return "cuInit did not succeed";
    case CUDA_ERROR_INVALID_DEVICE:
      return "the ordinal is out of range";
    case CUDA_ERROR_NOT_FOUND:
      return "the driver does not know this entry point";
    case CUDA_ERROR_NOT_SUPPORTED:
      return "the device lacks this feature";
    default:
      return "see the driver's log";
  }
}

std::string located(const std::string& text, const char* call, const char* file,
                    int line) {
  return std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
         text;
}

}  // namespace

std::string explain_runtime(cudaError_t status) {
  std::string text = std::string(cudaGetErrorName(status)) + " (" +
                     cudaGetErrorString(status) + ")";
  for (const Advice& advice : kRuntimeAdvice) {
    if (advice.code == static_cast<int>(status)) {
      return text + "; " + advice.text;
    }
  }
  return text;
}

std::string explain_driver(CUresult status) {
  const char* name = nullptr;
  const DriverTable* table = driver();
  if (table == nullptr ||
      table->cuGetErrorName_(status, &name) != CUDA_SUCCESS) {
    name = "unknown status";
  }
  return std::string(name) + "; " + driver_advice(status);
}

void fail_runtime(cudaError_t status, const char* call, const char* file,
                  int line) {
  (void)cudaGetLastError();  // the next check must not see this one again
  throw GpuError(located(explain_runtime(status), call, file, line));
}

void fail_driver(CUresult status, const char* call, const char* file,
                 int line) {
  throw GpuError(located(explain_driver(status), call, file, line));
}

}  // namespace tidepool
