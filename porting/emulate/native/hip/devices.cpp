// Devices: how many there are, the current one, their names, their limits.
#include "devices.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "device.h"
#include "front.h"
#include "memory.h"
#include "peers.h"
#include "pool.h"
#include "stream.h"

namespace eclosion::hip {

namespace {

using emulator::kMostDevices;
std::array<std::atomic<bool>, kMostDevices> used{};
std::array<std::atomic<unsigned>, kMostDevices> flags_of{};
thread_local bool has_chosen = false;  // the calling thread, by hipSetDevice

// Per thread and per heap, as hipDeviceGetLimit tells them.
std::atomic<std::size_t> stack_size{std::size_t{16} << 10};
std::atomic<std::size_t> heap_size{std::size_t{8} << 20};

std::atomic<std::size_t>* limit_of(hipLimit_t limit) {
  if (limit == hipLimitStackSize) return &stack_size;
  return limit == hipLimitMallocHeapSize ? &heap_size : nullptr;
}

bool are_flags(unsigned flags) {
  constexpr unsigned kAll =
      hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
  const unsigned schedule = flags & hipDeviceScheduleMask;
  const bool is_one = (schedule & (schedule - 1)) == 0;
  return (flags & ~kAll) == 0 && is_one;
}

}  // namespace

void use_device(int device) { used[device] = true; }

int use_current_device() {
  const int device = emulator::current_device();
  use_device(device);
  return device;
}

bool is_used(int device) { return used[device]; }
void forget_use(int device) { used[device] = false; }

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::device_facts;

extern "C" {

// hip_runtime_api.h: "If there are no such devices, then hipGetDeviceCount will
// return hipErrorNoDevice"; the count is 0 then.
hipError_t hipGetDeviceCount(int* count) {
  if (count != nullptr) *count = 0;
  return call(__func__, [&] {
    if (count == nullptr) return hipErrorInvalidValue;
    *count = eclosion::emulator::device_count();
    return hipSuccess;
  });
}

hipError_t hipGetDevice(int* device) {
  return call(__func__, [&] {
    if (device == nullptr) return hipErrorInvalidValue;
    *device = eclosion::emulator::current_device();
    return hipSuccess;
  });
}

hipError_t hipSetDevice(int device) {
  return call(__func__, [&] {
    if (!is_device(device)) return hipErrorInvalidDevice;
    eclosion::emulator::set_current_device(device);
    use_device(device);
    has_chosen = true;
    return hipSuccess;
  });
}

// hip_runtime_api.h: "List of devices to try". The runtime takes the first for
// a thread that has not chosen one, and an empty list for its own.
hipError_t hipSetValidDevices(int* devices, int count) {
  return call(__func__, [&] {
    if (count == 0) return hipSuccess;
    if (devices == nullptr || count < 0 ||
        count > eclosion::emulator::device_count()) {
      return hipErrorInvalidValue;
    }
    for (int i = 0; i < count; ++i) {
      if (!is_device(devices[i])) return hipErrorInvalidDevice;
    }
    if (!has_chosen) eclosion::emulator::set_current_device(devices[0]);
    return hipSuccess;
  });
}

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return call(__func__, [&] {
    if (device == nullptr) return hipErrorInvalidValue;
    if (!is_device(ordinal)) return hipErrorInvalidDevice;
    *device = ordinal;
    return hipSuccess;
  });
}

hipError_t hipDeviceComputeCapability(int* major, int* minor,
                                      hipDevice_t device) {
  return call(__func__, [&] {
    if (major == nullptr || minor == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    *major = device_facts(device).major;
    *minor = device_facts(device).minor;
    return hipSuccess;
  });
}

hipError_t hipDeviceGetName(char* name, int size, hipDevice_t device) {
  return call(__func__, [&] {
    if (name == nullptr || size <= 0) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    std::snprintf(name, static_cast<std::size_t>(size), "%s",
                  device_facts(device).name.c_str());
    return hipSuccess;
  });
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  return call(__func__, [&] {
    if (uuid == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    std::memcpy(uuid->bytes, device_facts(device).uuid, sizeof(uuid->bytes));
    return hipSuccess;
  });
}

hipError_t hipDeviceGetPCIBusId(char* text, int size, int device) {
  return call(__func__, [&] {
    if (text == nullptr || size <= 0) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    write_pci_bus_id(device, text, size);
    return hipSuccess;
  });
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* text) {
  return call(__func__, [&] {
    if (device == nullptr || text == nullptr) return hipErrorInvalidValue;
    unsigned domain = 0;
    unsigned bus = 0;
    if (std::sscanf(text, "%x:%x:", &domain, &bus) != 2) {
      return hipErrorInvalidValue;
    }
    for (int i = 0; i < eclosion::emulator::device_count(); ++i) {
      const auto own = static_cast<unsigned>(device_facts(i).pci_bus);
      if (domain != 0 || own != bus) continue;
      *device = i;
      return hipSuccess;
    }
    return hipErrorInvalidDevice;
  });
}

hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  return call(__func__, [&] {
    if (bytes == nullptr) return hipErrorInvalidValue;
    if (!is_device(device)) return hipErrorInvalidDevice;
    *bytes = eclosion::emulator::Memory::get().total(device);
    return hipSuccess;
  });
}

hipError_t hipDeviceSynchronize() {
  return call_outside_capture(__func__, [] {
    const int device = use_current_device();
    const Status status = eclosion::emulator::synchronize_device(device);
    if (status == Status::kSuccess) {
      eclosion::emulator::release_unused(device);
    }
    return status;
  });
}

hipError_t hipDeviceReset() {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    const int device = eclosion::emulator::current_device();
    (void)eclosion::emulator::synchronize_device(device);
    eclosion::emulator::Memory::get().free_all(device, site);
    eclosion::emulator::reset_peers(device);
    forget_use(device);
    flags_of[device] = 0;
    return eclosion::emulator::reset_device(device);
  });
}

hipError_t hipGetDeviceFlags(unsigned* flags) {
  return call(__func__, [&] {
    if (flags == nullptr) return hipErrorInvalidValue;
    *flags = flags_of[eclosion::emulator::current_device()];
    return hipSuccess;
  });
}

hipError_t hipSetDeviceFlags(unsigned flags) {
  return call(__func__, [&] {
    if (!are_flags(flags)) return hipErrorInvalidValue;
    flags_of[eclosion::emulator::current_device()] = flags;
    return hipSuccess;
  });
}

// hip_runtime_api.h, hipLimit_t: other limits, and the one of printf's buffer,
// which is "currently not supported", are hipErrorUnsupportedLimit.
hipError_t hipDeviceGetLimit(std::size_t* value, hipLimit_t limit) {
  return call(__func__, [&] {
    if (value == nullptr) return hipErrorInvalidValue;
    const auto* known = limit_of(limit);
    if (known == nullptr) return hipErrorUnsupportedLimit;
    *value = *known;
    return hipSuccess;
  });
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, std::size_t value) {
  return call(__func__, [&] {
    auto* known = limit_of(limit);
    if (known == nullptr) return hipErrorUnsupportedLimit;
    *known = value;
    return hipSuccess;
  });
}

// hip_runtime_api.h, hipFuncCache_t and hipSharedMemConfig: "On AMD devices and
// some Nvidia devices, these hints and controls are ignored."
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) {
  return call_outside_capture_since_7(__func__, [] { return hipSuccess; });
}
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
  return call(__func__, [&] {
    if (config == nullptr) return hipErrorInvalidValue;
    *config = hipFuncCachePreferNone;
    return hipSuccess;
  });
}
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) {
  return call_outside_capture_since_7(__func__, [] { return hipSuccess; });
}
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
  return call(__func__, [&] {
    if (config == nullptr) return hipErrorInvalidValue;
    *config = hipSharedMemBankSizeFourByte;
    return hipSuccess;
  });
}

}  // extern "C"
