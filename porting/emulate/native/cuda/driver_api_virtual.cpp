// Virtual memory management by the driver's functions.
#include "front.h"
#include "memory.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;
using emulator::VirtualMemory;

namespace {

// kNotSupported: what the attributes of the device say it lacks.
Status check_properties(const CUmemAllocationProp* wanted) {
  if (wanted == nullptr || wanted->type != CU_MEM_ALLOCATION_TYPE_PINNED) {
    return Status::kInvalidValue;
  }
  const unsigned types = wanted->requestedHandleTypes;
  if ((types & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0) {
    return Status::kNotSupported;
  }
  if (wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return Status::kNotSupported;
  }
  return is_device(wanted->location.id) ? Status::kSuccess
                                        : Status::kInvalidDevice;
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* size,
                                       const CUmemAllocationProp* wanted,
                                       CUmemAllocationGranularity_flags which) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (size == nullptr || (which != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
                            which != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)) {
      return Status::kInvalidValue;
    }
    const Status status = check_properties(wanted);
    if (status == Status::kSuccess) *size = VirtualMemory::kGranularity;
    return status;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t size,
                             size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (address == nullptr || size == 0 || flags != 0 ||
        (alignment & (alignment - 1)) != 0) {
      return Status::kInvalidValue;
    }
    std::uintptr_t base = 0;
    const Status status =
        VirtualMemory::get().reserve(size, alignment, wanted, &base);
    if (status == Status::kSuccess) *address = base;
    return status;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return VirtualMemory::get().free(address, size);
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* wanted,
                     unsigned long long flags) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (handle == nullptr || size == 0 || flags != 0) {
      return Status::kInvalidValue;
    }
    const Status status = check_properties(wanted);
    if (status != Status::kSuccess) return status;
    std::uint64_t made = 0;
    const Status created =
        VirtualMemory::get().create(size, wanted->location.id, site, &made);
    if (created == Status::kSuccess) *handle = made;
    return created;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return VirtualMemory::get().release(handle);
  });
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (flags != 0) return Status::kInvalidValue;
    return VirtualMemory::get().map(address, size, offset, handle);
  });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return VirtualMemory::get().unmap(address, size);
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size,
                        const CUmemAccessDesc* list, size_t count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (list == nullptr || count == 0) return Status::kInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return Status::kNotSupported;
      }
      if (!is_device(list[i].location.id)) return Status::kInvalidDevice;
      const Status status =
          VirtualMemory::get().set_access(address, size, list[i].location.id,
                                          static_cast<unsigned>(list[i].flags));
      if (status != Status::kSuccess) return status;
    }
    return Status::kSuccess;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags,
                        const CUmemLocation* location, CUdeviceptr address) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (flags == nullptr || location == nullptr ||
        location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
      return Status::kInvalidValue;
    }
    if (!is_device(location->id)) return Status::kInvalidDevice;
    unsigned found = 0;
    const Status status =
        VirtualMemory::get().get_access(address, location->id, &found);
    if (status == Status::kSuccess) *flags = found;
    return status;
  });
}

CUresult cuMemExportToShareableHandle(void* file,
                                      CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (file == nullptr || flags != 0) return Status::kInvalidValue;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
      return Status::kNotSupported;
    }
    return VirtualMemory::get().export_file(handle, static_cast<int*>(file));
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle,
                                        void* file,
                                        CUmemAllocationHandleType type) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (handle == nullptr) return Status::kInvalidValue;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
      return Status::kNotSupported;
    }
    std::uint64_t made = 0;
    // The descriptor itself is in the pointer.
    const Status status = VirtualMemory::get().import_file(
        static_cast<int>(reinterpret_cast<std::intptr_t>(file)), &made);
    if (status == Status::kSuccess) *handle = made;
    return status;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle,
                                     void* address) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (handle == nullptr) return Status::kInvalidValue;
    std::uint64_t found = 0;
    const Status status = VirtualMemory::get().retain(
        reinterpret_cast<std::uintptr_t>(address), &found);
    if (status == Status::kSuccess) *handle = found;
    return status;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(
    CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (properties == nullptr) return Status::kInvalidValue;
    int device = 0;
    std::size_t size = 0;
    const Status status =
        VirtualMemory::get().device_of(handle, &device, &size);
    if (status != Status::kSuccess) return status;
    *properties = {};
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties->location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    return Status::kSuccess;
  });
}
