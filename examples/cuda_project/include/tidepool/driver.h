// The driver API, opened at run time so that machines without a driver can
// still import the library.
#pragma once

#include <cuda.h>

// Entry points are looked up by their exported names, so functions whose
// signature changed carry the suffix of the version that this code calls.
#define TIDEPOOL_DRIVER_FUNCTIONS(X) \
  X(cuInit)                          \
  X(cuDriverGetVersion)              \
  X(cuDeviceGet)                     \
  X(cuDeviceGetCount)                \
  X(cuDeviceGetAttribute)            \
  X(cuDevicePrimaryCtxRetain)        \
  X(cuDevicePrimaryCtxRelease_v2)    \
  X(cuGetErrorName)                  \
  X(cuGetErrorString)                \
  X(cuMemGetAllocationGranularity)   \
  X(cuMemAddressReserve)             \
  X(cuMemAddressFree)                \
  X(cuMemCreate)                     \
  X(cuMemRelease)                    \
  X(cuMemMap)                        \
  X(cuMemUnmap)                      \
  X(cuMemSetAccess)                  \
  X(cuMemExportToShareableHandle)    \
  X(cuMemImportFromShareableHandle)  \
  X(cuMemGetAddressRange_v2)         \
  X(cuMemcpyDtoHAsync_v2)            \
  X(cuMemcpyHtoDAsync_v2)            \
  X(cuMemsetD8Async)

// Missing on older drivers: each is checked where it is used.
#define TIDEPOOL_OPTIONAL_DRIVER_FUNCTIONS(X) \
  X(cuMemGetHandleForAddressRange)            \
  X(cuPointerGetAttribute)

namespace tidepool {

struct DriverTable {
#define TIDEPOOL_MEMBER(name) decltype(&::name) name##_ = nullptr;
  TIDEPOOL_DRIVER_FUNCTIONS(TIDEPOOL_MEMBER)
  TIDEPOOL_OPTIONAL_DRIVER_FUNCTIONS(TIDEPOOL_MEMBER)
#undef TIDEPOOL_MEMBER
};

// Opens the driver once. Null when there is none; driver_problem() says why.
const DriverTable* driver();
const char* driver_problem();

// Throws GpuError when there is no driver.
const DriverTable& require_driver();

// Keeps a device's primary context alive.
class PrimaryContext {
 public:
  explicit PrimaryContext(int ordinal);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  CUdevice device() const { return device_; }

 private:
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

}  // namespace tidepool
