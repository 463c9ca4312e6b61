// Allocation of memory by the runtime's functions, and what it says of
// pointers.
#include "allocating.h"
#include "copies.h"
#include "device.h"
#include "front.h"

using namespace eclosion::cuda;
using eclosion::emulator::Memory;
using eclosion::emulator::MemoryKind;
using eclosion::emulator::Side;

cudaError_t cudaMalloc(void** address, size_t size) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    if (address == nullptr) return Status::kInvalidValue;
    return allocate_device(size, site, address);
  });
}

cudaError_t cudaMallocPitch(void** address, size_t* pitch, size_t width,
                            size_t height) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    if (address == nullptr || pitch == nullptr) return Status::kInvalidValue;
    return allocate_rows(width, height, site, address, pitch);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    if (pitched == nullptr) return Status::kInvalidValue;
    std::size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) {
      return Status::kOutOfMemory;
    }
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate_rows(extent.width, rows, site, &pitched->ptr,
                         &pitched->pitch);
  });
}

cudaError_t cudaMallocManaged(void** address, size_t size, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    if (address == nullptr) return Status::kInvalidValue;
    return allocate_managed(size, flags, site, address);
  });
}

cudaError_t cudaFree(void* address) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return free_device(address, site);
  });
}

cudaError_t cudaMallocHost(void** address, size_t size) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    if (address == nullptr) return Status::kInvalidValue;
    return allocate_pinned(size, cudaHostAllocDefault, site, address);
  });
}

cudaError_t cudaHostAlloc(void** address, size_t size, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    if (address == nullptr) return Status::kInvalidValue;
    return allocate_pinned(size, flags, site, address);
  });
}

cudaError_t cudaFreeHost(void* address) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return free_pinned(address, site);
  });
}

cudaError_t cudaHostRegister(void* address, size_t size, unsigned flags) {
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return register_host(address, size, flags);
  });
}

cudaError_t cudaHostUnregister(void* address) {
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return unregister_host(address);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host,
                                     unsigned flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (device == nullptr || flags != 0) return Status::kInvalidValue;
    return device_pointer(host, device);
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (flags == nullptr) return Status::kInvalidValue;
    return host_flags(host, flags);
  });
}

cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (available == nullptr || total == nullptr) return Status::kInvalidValue;
    const int device = eclosion::emulator::current_device();
    *available = Memory::get().available(device);
    *total = Memory::get().total(device);
    return Status::kSuccess;
  });
}

namespace eclosion::cuda {
namespace {

// What is no memory of ours is cudaMemoryTypeUnregistered, and no error
// (cudaPointerGetAttributes, cuda_runtime_api.h, since 11.0).
cudaPointerAttributes attributes_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  attributes.type = cudaMemoryTypeUnregistered;
  attributes.device = cudaInvalidDeviceId;
  auto* const address = const_cast<void*>(pointer);
  const auto found = Memory::get().find(pointer);
  if (!found) {
    attributes.hostPointer = address;
    if (emulator::side_of(pointer) != Side::kVariable) return attributes;
    attributes.type = cudaMemoryTypeDevice;
    attributes.hostPointer = nullptr;
    attributes.device = emulator::current_device();
    attributes.devicePointer = address;
    return attributes;
  }
  attributes.device = found->device < 0 ? 0 : found->device;
  attributes.devicePointer = address;
  switch (found->kind) {
    case MemoryKind::kPinned:
    case MemoryKind::kRegistered:
      attributes.type = cudaMemoryTypeHost;
      attributes.hostPointer = address;
      break;
    case MemoryKind::kManaged:
      attributes.type = cudaMemoryTypeManaged;
      attributes.hostPointer = address;
      break;
    default:
      attributes.type = cudaMemoryTypeDevice;
  }
  return attributes;
}

}  // namespace
}  // namespace eclosion::cuda

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                     const void* pointer) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (attributes == nullptr) return Status::kInvalidValue;
    *attributes = attributes_of(pointer);
    return Status::kSuccess;
  });
}
