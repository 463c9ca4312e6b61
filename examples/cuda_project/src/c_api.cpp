// The C interface that Python and Rust load.
#include <cuda_runtime_api.h>

#include <cstring>
#include <exception>
#include <string>

#include "tidepool/check.h"
#include "tidepool/statistics.h"

namespace {

thread_local std::string last_problem;

// Exceptions stop at the C boundary: 0 is success, 1 leaves a message.
template <typename Body>
int guarded(Body body) {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    last_problem = error.what();
    return 1;
  }
}

tidepool::TensorView view(const void* data, std::size_t count, int dtype) {
  return {data, count, static_cast<tidepool::Dtype>(dtype)};
}

}  // namespace

extern "C" {

const char* tidepool_last_problem() { return last_problem.c_str(); }

int tidepool_device_count(int* count, int* lanes) {
  return guarded([&] {
    const tidepool::DeviceSummary summary = tidepool::summarize_devices();
    if (!summary.problem.empty()) throw tidepool::GpuError(summary.problem);
    *count = summary.count;
    *lanes = summary.lanes;
  });
}

int tidepool_moments(const void* data, std::size_t count, int dtype,
                     cudaStream_t stream, double* values) {
  return guarded([&] {
    const tidepool::Moments result =
        tidepool::moments(view(data, count, dtype), stream);
    values[0] = result.sum;
    values[1] = result.sum_of_squares;
    values[2] = result.minimum;
    values[3] = result.maximum;
    values[4] = static_cast<double>(result.not_finite);
  });
}

int tidepool_checksum(const void* data, std::size_t bytes, cudaStream_t stream,
                      std::uint32_t* value) {
  return guarded([&] { *value = tidepool::checksum(data, bytes, stream); });
}

// Where a pointer lives: 0 host, 1 device, 2 managed.
int tidepool_memory_kind(const void* pointer, int* kind) {
  return guarded([&] {
    cudaPointerAttributes attributes{};
    TIDEPOOL_CHECK(cudaPointerGetAttributes(&attributes, pointer));
    switch (attributes.type) {
      case cudaMemoryTypeDevice:
        *kind = 1;
        break;
      case cudaMemoryTypeManaged:
        *kind = 2;
        break;
      default:
        *kind = 0;
    }
  });
}

}  // extern "C"
