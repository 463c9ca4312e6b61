// Reserved addresses, physical memory, and mapping one to the other.
#include <cstring>

#include "device.h"
#include "devices.h"
#include "front.h"
#include "handles.h"
#include "memory.h"

namespace eclosion::hip {

namespace {

using emulator::VirtualMemory;

// Physical memory that the program holds.
struct Physical {
  std::uint64_t handle = 0;
  hipMemAllocationProp properties{};
};

emulator::Handles<hipMemGenericAllocationHandle_t, Physical>& physical() {
  static auto* all =
      new emulator::Handles<hipMemGenericAllocationHandle_t, Physical>;
  return *all;
}

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

hipError_t check(const hipMemAllocationProp* properties) {
  if (properties == nullptr) return hipErrorInvalidValue;
  const bool is_type = properties->type == hipMemAllocationTypePinned ||
                       properties->type == hipMemAllocationTypeUncached;
  const hipMemLocation& at = properties->location;
  const bool is_device = at.type == hipMemLocationTypeDevice;
  if (!is_type || !is_device || !hip::is_device(at.id)) {
    return hipErrorInvalidValue;
  }
  const auto type = properties->requestedHandleType;
  const bool is_handle = type == hipMemHandleTypeNone ||
                         type == hipMemHandleTypePosixFileDescriptor;
  return is_handle ? hipSuccess : hipErrorNotSupported;
}

hipMemAllocationProp properties_of(int device) {
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  properties.location = {hipMemLocationTypeDevice, device};
  return properties;
}

int descriptor_of(void* shareable) {
  if (release_is_at_least(7, 1)) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(shareable));
  }
  int file = -1;
  if (shareable != nullptr) std::memcpy(&file, shareable, sizeof(file));
  return file;
}

// A handle for memory that is known to the core already.
hipError_t adopt(std::uint64_t core, hipMemGenericAllocationHandle_t* handle) {
  int device = 0;
  std::size_t size = 0;
  const hipError_t status =
      number(VirtualMemory::get().device_of(core, &device, &size));
  if (status != hipSuccess) return status;
  *handle = physical().add(
      std::make_shared<Physical>(Physical{core, properties_of(device)}));
  return hipSuccess;
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;
using eclosion::emulator::VirtualMemory;

extern "C" {

hipError_t hipMemGetAllocationGranularity(
    std::size_t* granularity, const hipMemAllocationProp* properties,
    hipMemAllocationGranularity_flags option) {
  return call(__func__, [&] {
    if (granularity == nullptr ||
        option > hipMemAllocationGranularityRecommended) {
      return hipErrorInvalidValue;
    }
    const hipError_t status = check(properties);
    if (status == hipSuccess) *granularity = VirtualMemory::kGranularity;
    return status;
  });
}

hipError_t hipMemAddressReserve(void** address, std::size_t size,
                                std::size_t alignment, void* wanted,
                                unsigned long long flags) {
  return call(__func__, [&]() -> hipError_t {
    if (address == nullptr || flags != 0) return hipErrorInvalidValue;
    std::uintptr_t base = 0;
    const hipError_t status = number(VirtualMemory::get().reserve(
        size, alignment, number_of(wanted), &base));
    if (status == hipSuccess) *address = reinterpret_cast<void*>(base);
    return status;
  });
}

hipError_t hipMemAddressFree(void* address, std::size_t size) {
  return call(__func__, [&] {
    return VirtualMemory::get().free(number_of(address), size);
  });
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle,
                        std::size_t size,
                        const hipMemAllocationProp* properties,
                        unsigned long long flags) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&]() -> hipError_t {
    if (handle == nullptr || size == 0 || flags != 0) {
      return hipErrorInvalidValue;
    }
    hipError_t status = check(properties);
    if (status != hipSuccess) return status;
    use_device(properties->location.id);
    std::uint64_t core = 0;
    status = number(VirtualMemory::get().create(size, properties->location.id,
                                                site, &core));
    if (status != hipSuccess) return status;
    *handle =
        physical().add(std::make_shared<Physical>(Physical{core, *properties}));
    return hipSuccess;
  });
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  return call(__func__, [&]() -> hipError_t {
    const auto found = physical().take(handle);
    if (found == nullptr) return hipErrorInvalidValue;
    return number(VirtualMemory::get().release(found->handle));
  });
}

hipError_t hipMemMap(void* address, std::size_t size, std::size_t offset,
                     hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  return call(__func__, [&]() -> hipError_t {
    const auto found = physical().find(handle);
    // hip_runtime_api.h: the offset "currently must be zero".
    if (found == nullptr || flags != 0 || offset != 0) {
      return hipErrorInvalidValue;
    }
    return number(VirtualMemory::get().map(number_of(address), size, offset,
                                           found->handle));
  });
}

hipError_t hipMemUnmap(void* address, std::size_t size) {
  return call(__func__, [&] {
    return VirtualMemory::get().unmap(number_of(address), size);
  });
}

hipError_t hipMemSetAccess(void* address, std::size_t size,
                           const hipMemAccessDesc* access, std::size_t count) {
  return call(__func__, [&]() -> hipError_t {
    if (access == nullptr || count == 0) return hipErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const hipMemLocation& at = access[i].location;
      if (at.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
      if (!is_device(at.id)) return hipErrorInvalidDevice;
      const hipError_t status = number(VirtualMemory::get().set_access(
          number_of(address), size, at.id, access[i].flags));
      if (status != hipSuccess) return status;
    }
    return hipSuccess;
  });
}

hipError_t hipMemGetAccess(unsigned long long* flags,
                           const hipMemLocation* location, void* address) {
  return call(__func__, [&]() -> hipError_t {
    if (flags == nullptr || location == nullptr ||
        location->type != hipMemLocationTypeDevice) {
      return hipErrorInvalidValue;
    }
    if (!is_device(location->id)) return hipErrorInvalidDevice;
    unsigned given = 0;
    const hipError_t status = number(VirtualMemory::get().get_access(
        number_of(address), location->id, &given));
    if (status == hipSuccess) *flags = given;
    return status;
  });
}

hipError_t hipMemGetAllocationPropertiesFromHandle(
    hipMemAllocationProp* properties, hipMemGenericAllocationHandle_t handle) {
  return call(__func__, [&] {
    const auto found = physical().find(handle);
    if (properties == nullptr || found == nullptr) return hipErrorInvalidValue;
    *properties = found->properties;
    return hipSuccess;
  });
}

// The descriptor is stored at `shareable` and is the caller's.
hipError_t hipMemExportToShareableHandle(void* shareable,
                                         hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type,
                                         unsigned long long flags) {
  return call(__func__, [&]() -> hipError_t {
    const auto found = physical().find(handle);
    if (shareable == nullptr || found == nullptr || flags != 0) {
      return hipErrorInvalidValue;
    }
    if (type != hipMemHandleTypePosixFileDescriptor) {
      return hipErrorNotSupported;
    }
    if (found->properties.requestedHandleType != type) {
      return hipErrorInvalidValue;
    }
    int file = -1;
    const hipError_t status =
        number(VirtualMemory::get().export_file(found->handle, &file));
    if (status == hipSuccess) std::memcpy(shareable, &file, sizeof(file));
    return status;
  });
}

// Up to 7.0 HIP takes the descriptor's address here, from 7.1 on its number as
// a pointer, as CUDA does (PyTorch's c10/cuda/CUDACachingAllocator.cpp does
// both, by ROCM_VERSION >= 70100).
hipError_t hipMemImportFromShareableHandle(
    hipMemGenericAllocationHandle_t* handle, void* shareable,
    hipMemAllocationHandleType type) {
  return call(__func__, [&]() -> hipError_t {
    if (handle == nullptr) return hipErrorInvalidValue;
    if (type != hipMemHandleTypePosixFileDescriptor) {
      return hipErrorNotSupported;
    }
    std::uint64_t core = 0;
    const hipError_t status = number(
        VirtualMemory::get().import_file(descriptor_of(shareable), &core));
    return status != hipSuccess ? status : adopt(core, handle);
  });
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle,
                                        void* address) {
  return call(__func__, [&]() -> hipError_t {
    if (handle == nullptr || address == nullptr) return hipErrorInvalidValue;
    std::uint64_t core = 0;
    const hipError_t status =
        number(VirtualMemory::get().retain(number_of(address), &core));
    return status != hipSuccess ? status : adopt(core, handle);
  });
}

}  // extern "C"
