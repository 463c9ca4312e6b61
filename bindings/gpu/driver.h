// The driver API, opened at run time: one table, its functions looked up one by
// one.
#pragma once

#include <cuda.h>

#include <string>

// Name of the function, and of the symbol that has its present signature.
#define ECLOSION_DRIVER_FUNCTIONS(X)                                \
  X(cuInit, "cuInit")                                               \
  X(cuGetErrorName, "cuGetErrorName")                               \
  X(cuGetErrorString, "cuGetErrorString")                           \
  X(cuDriverGetVersion, "cuDriverGetVersion")                       \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute")                   \
  X(cuDevicePrimaryCtxGetState, "cuDevicePrimaryCtxGetState")       \
  X(cuMemGetAddressRange, "cuMemGetAddressRange_v2")                \
  X(cuMemGetHandleForAddressRange, "cuMemGetHandleForAddressRange") \
  X(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity") \
  X(cuMemAddressReserve, "cuMemAddressReserve")                     \
  X(cuMemAddressFree, "cuMemAddressFree")                           \
  X(cuMemCreate, "cuMemCreate")                                     \
  X(cuMemRelease, "cuMemRelease")                                   \
  X(cuMemMap, "cuMemMap")                                           \
  X(cuMemUnmap, "cuMemUnmap")                                       \
  X(cuMemSetAccess, "cuMemSetAccess")

namespace eclosion::gpu {

// The functions of the driver. One that this driver lacks is null.
struct Driver {
#define ECLOSION_DRIVER_MEMBER(function, symbol) \
  decltype(&::function) function##_ = nullptr;
  ECLOSION_DRIVER_FUNCTIONS(ECLOSION_DRIVER_MEMBER)
#undef ECLOSION_DRIVER_MEMBER

  // The file that the loader mapped.
  std::string path;

  // The process's driver, opened by the first call; a copy that somebody else
  // has loaded is shared. Throws LibraryError where there is none.
  static const Driver& get();
};

// Throw GpuError for a status that is no success, with the driver's words, and
// UnsupportedError for the one that says so.
void check_driver(CUresult status, const char* call);

// Throw UnsupportedError: the driver lacks a function.
[[noreturn]] void throw_missing(const char* function);

}  // namespace eclosion::gpu

// Call a function of the driver: missing ones and failures are exceptions.
#define ECLOSION_DRIVER_CALL(function, ...)                                  \
  do {                                                                       \
    const ::eclosion::gpu::Driver& driver_ = ::eclosion::gpu::Driver::get(); \
    if (driver_.function##_ == nullptr) {                                    \
      ::eclosion::gpu::throw_missing(#function);                             \
    }                                                                        \
    ::eclosion::gpu::check_driver(driver_.function##_(__VA_ARGS__),          \
                                  #function);                                \
  } while (false)
