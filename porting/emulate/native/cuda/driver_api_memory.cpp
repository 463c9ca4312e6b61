// Allocation of memory by the driver's functions.
#include "allocating.h"
#include "device.h"
#include "front.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

namespace {

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// A device's address is an integer of the same bits.
void** place(CUdeviceptr* address) { return reinterpret_cast<void**>(address); }

}  // namespace

CUresult cuMemGetInfo(size_t* available, size_t* total) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (available == nullptr || total == nullptr) return Status::kInvalidValue;
    const int device = emulator::current_device();
    *available = emulator::Memory::get().available(device);
    *total = emulator::Memory::get().total(device);
    return Status::kSuccess;
  });
}

CUresult cuMemAlloc(CUdeviceptr* address, size_t size) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    // cuMemAlloc (cuda.h): 0 bytes are an error, other than with cudaMalloc.
    if (address == nullptr || size == 0) return Status::kInvalidValue;
    return allocate_device(size, site, place(address));
  });
}

CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width,
                         size_t height, unsigned element) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    const bool is_element = element == 4 || element == 8 || element == 16;
    if (address == nullptr || pitch == nullptr || width == 0 || height == 0 ||
        !is_element) {
      return Status::kInvalidValue;
    }
    return allocate_rows(width, height, site, place(address), pitch);
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t size, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    if (address == nullptr) return Status::kInvalidValue;
    return allocate_managed(size, flags, site, place(address));
  });
}

CUresult cuMemFree(CUdeviceptr address) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    return free_device(pointer(address), site);
  });
}

CUresult cuMemAllocHost(void** address, size_t size) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    if (address == nullptr || size == 0) return Status::kInvalidValue;
    return allocate_pinned(size, 0, site, address);
  });
}

CUresult cuMemHostAlloc(void** address, size_t size, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    if (address == nullptr || size == 0) return Status::kInvalidValue;
    return allocate_pinned(size, flags, site, address);
  });
}

CUresult cuMemFreeHost(void* address) {
  const void* const site = ECLOSION_SITE;
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    return free_pinned(address, site);
  });
}

CUresult cuMemHostRegister(void* address, size_t size, unsigned flags) {
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    return register_host(address, size, flags);
  });
}

CUresult cuMemHostUnregister(void* address) {
  return driver_call(__func__, kContext | kNoCapture, [&]() -> DriverResult {
    return unregister_host(address);
  });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host,
                                   unsigned flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (device == nullptr || flags != 0) return Status::kInvalidValue;
    return device_pointer(host, place(device));
  });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* host) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (flags == nullptr) return Status::kInvalidValue;
    return host_flags(host, flags);
  });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* size,
                              CUdeviceptr address) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    const auto found = emulator::Memory::get().find(pointer(address));
    if (!found) return Status::kNotFound;
    if (base != nullptr) *base = found->base;
    if (size != nullptr) *size = found->size;
    return Status::kSuccess;
  });
}

CUresult cuMemGetHandleForAddressRange(void* handle, CUdeviceptr address,
                                       size_t size, CUmemRangeHandleType type,
                                       unsigned long long flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (handle == nullptr || type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD ||
        (flags & ~CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE) != 0) {
      return Status::kInvalidValue;
    }
    std::size_t offset = 0;
    return emulator::export_dmabuf(pointer(address), size,
                                   static_cast<int*>(handle), &offset);
  });
}
