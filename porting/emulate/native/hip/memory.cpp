// Memory of devices and of the host: allocated, freed, registered.
#include "memory.h"

#include "copies.h"
#include "device.h"
#include "devices.h"
#include "front.h"
#include "pool.h"
#include "stream.h"

namespace eclosion::hip {

namespace {

using emulator::Memory;
using emulator::MemoryKind;

// Rows of pitched memory begin at multiples of this, as the device's property
// texturePitchAlignment says.
constexpr std::size_t kRowAlignment = 256;

hipError_t allocate(void** address, std::size_t size, MemoryKind kind,
                    unsigned flags, const void* site) {
  if (address == nullptr) return hipErrorInvalidValue;
  return number(Memory::get().allocate(size, kind, use_current_device(), flags,
                                       site, address));
}

hipError_t allocate_host(void** address, std::size_t size, unsigned flags,
                         const void* site) {
  constexpr unsigned kAll = hipHostMallocPortable | hipHostMallocMapped |
                            hipHostMallocWriteCombined | hipHostMallocUncached |
                            hipHostMallocNumaUser | hipHostMallocCoherent |
                            hipHostMallocNonCoherent;
  constexpr unsigned kBoth = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if ((flags & ~kAll) != 0 || (flags & kBoth) == kBoth) {
    return hipErrorInvalidValue;
  }
  return allocate(address, size, MemoryKind::kPinned, flags, site);
}

std::optional<emulator::Allocation> begins_at(const void* address) {
  const auto found = Memory::get().find(address);
  const bool is_first =
      found && found->base == reinterpret_cast<std::uintptr_t>(address);
  return is_first ? found : std::nullopt;
}

// hip_runtime_api.h, hipFree and hipHostFree: "This API performs an implicit
// hipDeviceSynchronize() call"; from 7.0 on not for what hipMallocAsync gave
// (HIP documentation, "HIP API 7.0 changes", "Update hipFree"). Memory of the
// host is every device's.
void wait_for_users(const emulator::Allocation& allocation) {
  const bool is_pooled = allocation.pool != 0;
  if (allocation.device < 0) {
    emulator::drain_devices();
  } else if (!is_pooled || !release_is_at_least(7)) {
    (void)emulator::synchronize_device(allocation.device);
  }
}

// Free what one of two kinds has; `otherwise`: the error of another address.
hipError_t release(void* address, MemoryKind kind, MemoryKind second,
                   hipError_t otherwise, const void* site) {
  if (address == nullptr) return hipSuccess;
  const auto found = begins_at(address);
  const bool is_kind = found && (found->kind == kind || found->kind == second);
  if (found && !is_kind) return otherwise;
  if (is_kind) wait_for_users(*found);
  if (kind == MemoryKind::kDevice && emulator::free_of_graph(address, site)) {
    return hipSuccess;
  }
  const Status status =
      Memory::get().free(address, is_kind ? found->kind : kind, site);
  return status == Status::kInvalidValue ? otherwise : number(status);
}

std::size_t aligned(std::size_t size) {
  return (size + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

hipError_t allocate_pitched(void** address, std::size_t* pitch,
                            std::size_t width, std::size_t rows,
                            const void* site) {
  if (address == nullptr || pitch == nullptr) return hipErrorInvalidValue;
  *pitch = aligned(width);
  std::size_t size = 0;
  if (__builtin_mul_overflow(*pitch, rows, &size)) return hipErrorOutOfMemory;
  return allocate(address, size, MemoryKind::kDevice, 0, site);
}

hipError_t register_host(void* address, std::size_t size, unsigned flags) {
  constexpr unsigned kAll = hipHostRegisterPortable | hipHostRegisterMapped |
                            hipExtHostRegisterCoarseGrained |
                            hipExtHostRegisterUncached;
  // hip_runtime_api.h, hipHostRegisterIoMemory: "Not supported."
  if ((flags & ~(kAll | hipHostRegisterIoMemory)) != 0) {
    return hipErrorInvalidValue;
  }
  if ((flags & hipHostRegisterIoMemory) != 0) return hipErrorNotSupported;
  if (address == nullptr || size == 0) return hipErrorInvalidValue;
  use_current_device();
  return number(Memory::get().register_host(address, size, flags));
}

bool is_of_host(const emulator::Allocation& allocation) {
  return allocation.kind == MemoryKind::kPinned ||
         allocation.kind == MemoryKind::kRegistered ||
         allocation.kind == MemoryKind::kManaged;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::Memory;
using eclosion::emulator::MemoryKind;

extern "C" {

hipError_t hipMalloc(void** address, std::size_t size) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return allocate(address, size, MemoryKind::kDevice, 0, site);
  });
}

hipError_t hipExtMallocWithFlags(void** address, std::size_t size,
                                 unsigned flags) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    // hip_runtime_api.h: hipMallocSignalMemory is for 8 bytes.
    const bool is_signal = flags == hipMallocSignalMemory;
    if (flags > hipDeviceMallocContiguous || (is_signal && size != 8)) {
      return hipErrorInvalidValue;
    }
    return allocate(address, size, MemoryKind::kDevice, flags, site);
  });
}

hipError_t hipHostMalloc(void** address, std::size_t size, unsigned flags) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(
      __func__, [&] { return allocate_host(address, size, flags, site); });
}

hipError_t hipHostAlloc(void** address, std::size_t size, unsigned flags) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(
      __func__, [&] { return allocate_host(address, size, flags, site); });
}

hipError_t hipMallocHost(void** address, std::size_t size) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(
      __func__, [&] { return allocate_host(address, size, 0, site); });
}

hipError_t hipMemAllocHost(void** address, std::size_t size) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(
      __func__, [&] { return allocate_host(address, size, 0, site); });
}

hipError_t hipMallocManaged(void** address, std::size_t size, unsigned flags) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture_since_7(__func__, [&] {
    // hip_runtime_api.h: "must be either hipMemAttachGlobal or
    // hipMemAttachHost".
    if (flags != hipMemAttachGlobal && flags != hipMemAttachHost) {
      return hipErrorInvalidValue;
    }
    if (size == 0) return hipErrorInvalidValue;
    return allocate(address, size, MemoryKind::kManaged, flags, site);
  });
}

hipError_t hipMallocPitch(void** address, std::size_t* pitch, std::size_t width,
                          std::size_t height) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return allocate_pitched(address, pitch, width, height, site);
  });
}

hipError_t hipMemAllocPitch(hipDeviceptr_t* address, std::size_t* pitch,
                            std::size_t width, std::size_t height, unsigned) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return allocate_pitched(address, pitch, width, height, site);
  });
}

hipError_t hipMalloc3D(hipPitchedPtr* pitched, hipExtent extent) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&]() -> hipError_t {
    if (pitched == nullptr) return hipErrorInvalidValue;
    std::size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) {
      return hipErrorOutOfMemory;
    }
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate_pitched(&pitched->ptr, &pitched->pitch, extent.width, rows,
                            site);
  });
}

hipError_t hipFree(void* address) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return release(address, MemoryKind::kDevice, MemoryKind::kManaged,
                   hipErrorInvalidDevicePointer, site);
  });
}

hipError_t hipHostFree(void* address) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return release(address, MemoryKind::kPinned, MemoryKind::kPinned,
                   hipErrorInvalidValue, site);
  });
}

hipError_t hipFreeHost(void* address) {
  const void* site = __builtin_return_address(0);
  return call_outside_capture(__func__, [&] {
    return release(address, MemoryKind::kPinned, MemoryKind::kPinned,
                   hipErrorInvalidValue, site);
  });
}

hipError_t hipHostRegister(void* address, std::size_t size, unsigned flags) {
  return call_outside_capture(
      __func__, [&] { return register_host(address, size, flags); });
}

hipError_t hipHostUnregister(void* address) {
  return call_outside_capture(__func__, [&]() -> hipError_t {
    if (address == nullptr) return hipErrorInvalidValue;
    return number(Memory::get().unregister_host(address));
  });
}

hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return call(__func__, [&] {
    if (device == nullptr || host == nullptr || flags != 0) {
      return hipErrorInvalidValue;
    }
    const auto found = Memory::get().find(host);
    if (!found || !is_of_host(*found)) return hipErrorInvalidValue;
    *device = host;
    return hipSuccess;
  });
}

hipError_t hipHostGetFlags(unsigned* flags, void* host) {
  return call(__func__, [&] {
    if (flags == nullptr || host == nullptr) return hipErrorInvalidValue;
    const auto found = Memory::get().find(host);
    if (!found || !is_of_host(*found)) return hipErrorInvalidValue;
    *flags = found->flags;
    return hipSuccess;
  });
}

hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return call(__func__, [&] {
    if (free == nullptr || total == nullptr) return hipErrorInvalidValue;
    const int device = use_current_device();
    *free = Memory::get().available(device);
    *total = Memory::get().total(device);
    return hipSuccess;
  });
}

}  // extern "C"
