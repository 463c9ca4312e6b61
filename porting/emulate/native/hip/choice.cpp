// hipChooseDevice: the device that fits what a program asks for best.
#include <cstring>

#include "device.h"
#include "devices.h"
#include "front.h"

// After the header that it needs and does not include.
#include <hip/hip_deprecated.h>

namespace eclosion::hip {

namespace {

// How many of the wishes that are given (not 0) a device has.
template <typename Properties>
int fitting(const hipDeviceProp_tR0600& own, const Properties& wanted) {
  int fits = 0;
  const auto has = [&](auto given, auto asked) {
    if (asked != 0 && given >= asked) ++fits;
  };
  has(own.major, wanted.major);
  has(own.minor, wanted.minor);
  has(own.totalGlobalMem, wanted.totalGlobalMem);
  has(own.sharedMemPerBlock, wanted.sharedMemPerBlock);
  has(own.maxThreadsPerBlock, wanted.maxThreadsPerBlock);
  has(own.totalConstMem, wanted.totalConstMem);
  has(own.multiProcessorCount, wanted.multiProcessorCount);
  has(own.maxThreadsPerMultiProcessor, wanted.maxThreadsPerMultiProcessor);
  has(own.memoryClockRate, wanted.memoryClockRate);
  has(own.l2CacheSize, wanted.l2CacheSize);
  return fits;
}

template <typename Properties>
hipError_t choose(int* device, const Properties* wanted) {
  if (device == nullptr || wanted == nullptr) return hipErrorInvalidValue;
  int best = -1;
  for (int i = 0; i < emulator::device_count(); ++i) {
    hipDeviceProp_tR0600 own;
    describe(i, &own);
    const int fits = fitting(own, *wanted);
    if (fits <= best) continue;
    best = fits;
    *device = i;
  }
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

#undef hipChooseDevice

extern "C" {

hipError_t hipChooseDeviceR0600(int* device,
                                const hipDeviceProp_tR0600* wanted) {
  return call(__func__, [&] { return choose(device, wanted); });
}

hipError_t hipChooseDeviceR0000(int* device,
                                const hipDeviceProp_tR0000* wanted) {
  return call(__func__, [&] { return choose(device, wanted); });
}

hipError_t hipChooseDevice(int* device, const hipDeviceProp_tR0000* wanted) {
  return hipChooseDeviceR0000(device, wanted);
}

}  // extern "C"
