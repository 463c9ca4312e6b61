// How the runtime starts, what a forked child may do, and how a fault ends it.
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "config.h"
#include "device.h"
#include "front.h"
#include "scheduler.h"
#include "stream.h"
#include "visibility.h"

namespace eclosion::hip {

namespace {

// ROCm's filters (ROCm documentation, "GPU isolation techniques"): the one of
// the lower runtime first; CUDA's name is heard where HIP's is not set.
void start() {
  const char* own = std::getenv("HIP_VISIBLE_DEVICES");
  if (own == nullptr) own = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto visible = visible_devices(std::getenv("ROCR_VISIBLE_DEVICES"), own,
                                       emulator::Config::get().devices);
  emulator::show_devices(visible ? visible->c_str() : nullptr);
  (void)emulator::Scheduler::get();
}

const char* reason_of(Status fault) {
  switch (fault) {
    case Status::kIllegalAddress:
    case Status::kMisalignedAddress:
      return "memory that it may not use";
    case Status::kAssertFailed:
      return "a failed assertion";
    case Status::kStackOverflow:
      return "an overflow of its stack";
    default:
      return "an instruction that stops it";
  }
}

}  // namespace

hipError_t begin() {
  if (emulator::is_forked_child()) return hipErrorNotInitialized;
  static std::once_flag once;
  std::call_once(once, start);
  return emulator::device_count() > 0 ? hipSuccess : hipErrorNoDevice;
}

hipError_t check_not_capturing() {
  return number(emulator::check_not_capturing());
}

bool release_is_at_least(int major) {
  // "7.1"; without a number: the newest.
  const int release = std::atoi(emulator::Config::get().release.c_str());
  return release == 0 || release >= major;
}

bool is_device(int device) {
  return device >= 0 && device < emulator::device_count();
}

// The vendor's runtime has a thread that waits for faults of the device, prints
// one line and calls abort(): AMD's documentation on debugging memory faults
// ("Memory access fault by GPU node ... Reason: Page not present"),
// ROCR-Runtime src/core/runtime/runtime.cpp, VMFaultHandler. No call returns an
// error then.
void end_process(Status fault, int device, const char* kernel) {
  std::fflush(stdout);
  std::fprintf(stderr,
               "eclosion: GPU node %d stopped in kernel %s: %s; the process is "
               "aborted, as the vendor's runtime does\n",
               device + 1, kernel, reason_of(fault));
  std::fflush(stderr);
  std::abort();
}

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

// hip_runtime_api.h, hipInit: flags are for the future.
hipError_t hipInit(unsigned flags) {
  return call(__func__, [&]() -> hipError_t {
    return flags == 0 ? hipSuccess : hipErrorInvalidValue;
  });
}

hipError_t hipRuntimeGetVersion(int* version) {
  if (version == nullptr) return remember(hipErrorInvalidValue);
  *version = HIP_VERSION;
  return remember(hipSuccess);
}

hipError_t hipDriverGetVersion(int* version) {
  return call(__func__, [&] {
    if (version == nullptr) return hipErrorInvalidValue;
    *version = HIP_VERSION;
    return hipSuccess;
  });
}

hipError_t hipProfilerStart() {
  return call(__func__, [] { return hipErrorNotSupported; });
}
hipError_t hipProfilerStop() {
  return call(__func__, [] { return hipErrorNotSupported; });
}

}  // extern "C"
