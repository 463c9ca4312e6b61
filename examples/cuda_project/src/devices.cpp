// What devices this process can use, and why not.
#include <cuda_runtime_api.h>

#include "tidepool/check.h"
#include "tidepool/driver.h"
#include "tidepool/statistics.h"

namespace tidepool {

DeviceSummary summarize_devices() {
  DeviceSummary summary;
  const cudaError_t status = cudaGetDeviceCount(&summary.count);
  if (status != cudaSuccess) {
    // count is still zero: it means "none", whatever the reason is.
    summary.problem = explain_runtime(status);
    if (summary.count == 0 && driver() == nullptr) {
      summary.problem += std::string("; ") + driver_problem();
    }
    return summary;
  }
  int device = 0;
  cudaDeviceProp properties{};
  TIDEPOOL_CHECK(cudaGetDevice(&device));
  TIDEPOOL_CHECK(cudaGetDeviceProperties(&properties, device));
  summary.name = properties.name;
  summary.lanes = properties.warpSize;
  return summary;
}

}  // namespace tidepool
