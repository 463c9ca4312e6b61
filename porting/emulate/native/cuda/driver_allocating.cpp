// Which sizes and flags are taken, and what is waited for before memory goes.
#include "allocating.h"

#include <cuda.h>

#include <limits>

#include "attributes.h"
#include "device.h"
#include "stream.h"

namespace eclosion::cuda {
namespace {

using emulator::Allocation;
using emulator::Memory;
using emulator::MemoryKind;

constexpr unsigned kHostFlags = CU_MEMHOSTALLOC_PORTABLE |
                                CU_MEMHOSTALLOC_DEVICEMAP |
                                CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned kRegisterFlags = CU_MEMHOSTREGISTER_PORTABLE |
                                    CU_MEMHOSTREGISTER_DEVICEMAP |
                                    CU_MEMHOSTREGISTER_READ_ONLY;

bool is_host_kind(MemoryKind kind) {
  return kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered;
}

}  // namespace

Status allocate_device(std::size_t size, const void* site, void** address) {
  return Memory::get().allocate(size, MemoryKind::kDevice,
                                emulator::current_device(), 0, site, address);
}

Status allocate_rows(std::size_t width, std::size_t height, const void* site,
                     void** address, std::size_t* pitch) {
  int unit = 0;
  device_attribute(emulator::current_device(),
                   CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &unit);
  const auto step = static_cast<std::size_t>(unit);
  *pitch = (width + step - 1) / step * step;
  if (*pitch < width ||
      (height != 0 &&
       *pitch > std::numeric_limits<std::size_t>::max() / height)) {
    return Status::kOutOfMemory;
  }
  return allocate_device(*pitch * height, site, address);
}

Status allocate_managed(std::size_t size, unsigned flags, const void* site,
                        void** address) {
  // cudaMallocManaged (cuda_runtime_api.h): 0 bytes are an error here.
  const bool is_attached =
      flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST;
  if (size == 0 || !is_attached) return Status::kInvalidValue;
  return Memory::get().allocate(size, MemoryKind::kManaged,
                                emulator::current_device(), flags, site,
                                address);
}

Status allocate_pinned(std::size_t size, unsigned flags, const void* site,
                       void** address) {
  if ((flags & ~kHostFlags) != 0) return Status::kInvalidValue;
  return Memory::get().allocate(size, MemoryKind::kPinned,
                                emulator::current_device(), flags, site,
                                address);
}

Status free_device(void* address, const void* site) {
  if (address == nullptr) return Status::kSuccess;
  const std::optional<Allocation> found = Memory::get().find(address);
  if (found && found->kind != MemoryKind::kDevice &&
      found->kind != MemoryKind::kManaged) {
    return Status::kInvalidValue;
  }
  if (found) {
    const Status status = emulator::synchronize_device(found->device);
    if (status != Status::kSuccess) return status;
  }
  // free() refuses what is not found: it was freed before, or never allocated.
  const MemoryKind kind = found ? found->kind : MemoryKind::kDevice;
  return Memory::get().free(address, kind, site);
}

Status free_pinned(void* address, const void* site) {
  if (address == nullptr) return Status::kSuccess;
  const std::optional<Allocation> found = Memory::get().find(address);
  if (found && found->kind != MemoryKind::kPinned) return Status::kInvalidValue;
  // All devices reach it (CUDA C++ Programming Guide, "Unified Virtual Address
  // Space"), so the work of any may still use it.
  if (found) emulator::drain_devices();
  const Status status = emulator::device_failure(emulator::current_device());
  if (status != Status::kSuccess) return status;
  return Memory::get().free(address, MemoryKind::kPinned, site);
}

Status register_host(void* address, std::size_t size, unsigned flags) {
  if (address == nullptr || size == 0) return Status::kInvalidValue;
  // Registers of other devices are not emulated.
  if ((flags & CU_MEMHOSTREGISTER_IOMEMORY) != 0) return Status::kNotSupported;
  if ((flags & ~kRegisterFlags) != 0) return Status::kInvalidValue;
  return Memory::get().register_host(address, size, flags);
}

Status unregister_host(void* address) {
  if (address == nullptr) return Status::kInvalidValue;
  const Status status =
      emulator::synchronize_device(emulator::current_device());
  if (status != Status::kSuccess) return status;
  return Memory::get().unregister_host(address);
}

Status device_pointer(void* host, void** device) {
  const std::optional<Allocation> found = Memory::get().find(host);
  if (!found) return Status::kInvalidValue;
  if (!is_host_kind(found->kind) && found->kind != MemoryKind::kManaged) {
    return Status::kInvalidValue;
  }
  *device = host;
  return Status::kSuccess;
}

Status host_flags(const void* host, unsigned* flags) {
  const std::optional<Allocation> found = Memory::get().find(host);
  if (!found || !is_host_kind(found->kind)) return Status::kInvalidValue;
  // With unified addressing all pinned memory is mapped into all contexts
  // (CUDA C++ Programming Guide, "Unified Virtual Address Space").
  *flags = found->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return Status::kSuccess;
}

}  // namespace eclosion::cuda
