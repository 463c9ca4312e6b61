// How the runtime starts, what a forked child may do, and how a fault ends it.
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "alignment_check.h"
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
  // The driver sets the mode in which loads and stores may be unaligned
  // (Linux, kfd_device_queue_manager_v9.c and its newer kin:
  // SH_MEM_ALIGNMENT_MODE_UNALIGNED), and compilers count on it for HSA (LLVM,
  // GCNSubtarget.cpp: +unaligned-access-mode, "features that HSA ABI
  // requires"). Atomic accesses have to be aligned in every mode (AMD's guides
  // to the instruction sets).
  emulator::carry_out_misaligned();
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

// Major and minor number of the release whose behaviour is shown; that of the
// headers where none is said.
std::pair<int, int> release() {
  static const std::pair<int, int> shown = [] {
    int one = 0;
    int two = 0;
    const int read = std::sscanf(emulator::Config::get().release.c_str(),
                                 "%d.%d", &one, &two);
    return read < 1 ? std::pair(HIP_VERSION_MAJOR, HIP_VERSION_MINOR)
                    : std::pair(one, two);
  }();
  return shown;
}

// As hip_version.h makes HIP_VERSION. The patch of another release than that of
// the headers is not known here, and 0.
int version_number() {
  const auto [major, minor] = release();
  const bool is_built_with =
      major == HIP_VERSION_MAJOR && minor == HIP_VERSION_MINOR;
  const int patch = is_built_with ? HIP_VERSION_PATCH : 0;
  return major * 10000000 + minor * 100000 + patch;
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

bool release_is_at_least(int major, int minor) {
  return release() >= std::pair(major, minor);
}

bool is_device(int device) {
  return device >= 0 && device < emulator::device_count();
}

// Before 7.0 the lower runtime's handler prints one line and calls abort(), so
// no call returns an error (ROCR-Runtime, src/core/runtime/runtime.cpp,
// VMFaultHandler). "Exceptions that occur during kernel execution will no
// longer abort the process, but will instead return an error": HIP
// documentation, "HIP API 7.0 changes".
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

// Answers without a device too.
hipError_t hipRuntimeGetVersion(int* version) {
  if (const auto code = eclosion::emulator::injected(__func__)) {
    return remember(static_cast<hipError_t>(*code));
  }
  if (version == nullptr) return remember(hipErrorInvalidValue);
  *version = version_number();
  return remember(hipSuccess);
}

hipError_t hipDriverGetVersion(int* version) {
  return call(__func__, [&] {
    if (version == nullptr) return hipErrorInvalidValue;
    *version = version_number();
    return hipSuccess;
  });
}

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                          hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// hip_runtime_api.h: both are deprecated and hipErrorNotSupported.
hipError_t hipProfilerStart() {
  return call(__func__, [] { return hipErrorNotSupported; });
}
hipError_t hipProfilerStop() {
  return call(__func__, [] { return hipErrorNotSupported; });
}

}  // extern "C"
