// Turns CUDA status codes into exceptions that name the call that failed.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace tidepool {

class GpuError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One line for people: the code's name, what it usually means, what to try.
std::string explain_runtime(cudaError_t status);
std::string explain_driver(CUresult status);

[[noreturn]] void fail_runtime(cudaError_t status, const char* call,
                               const char* file, int line);
[[noreturn]] void fail_driver(CUresult status, const char* call,
                              const char* file, int line);

}  // namespace tidepool

#define TIDEPOOL_CHECK(...)                                              \
  do {                                                                   \
    const cudaError_t tidepool_status_ = (__VA_ARGS__);                  \
    if (tidepool_status_ != cudaSuccess) {                               \
      ::tidepool::fail_runtime(tidepool_status_, #__VA_ARGS__, __FILE__, \
                               __LINE__);                                \
    }                                                                    \
  } while (0)

#define TIDEPOOL_CHECK_DRIVER(...)                                      \
  do {                                                                  \
    const CUresult tidepool_status_ = (__VA_ARGS__);                    \
    if (tidepool_status_ != CUDA_SUCCESS) {                             \
      ::tidepool::fail_driver(tidepool_status_, #__VA_ARGS__, __FILE__, \
                              __LINE__);                                \
    }                                                                   \
  } while (0)
