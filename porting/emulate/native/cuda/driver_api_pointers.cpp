// What the driver says of an address.
#include "copies.h"
#include "device.h"
#include "front.h"
#include "memory.h"
#include "pool.h"
#include "pools.h"

namespace eclosion::cuda {
namespace {

using emulator::Allocation;
using emulator::MemoryKind;

struct Pointee {
  CUdeviceptr address;
  Allocation allocation;
};

bool is_host(MemoryKind kind) {
  return kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered;
}

template <typename Value>
Status write(void* data, Value value) {
  *static_cast<Value*>(data) = value;
  return Status::kSuccess;
}

Status find(CUdeviceptr address, Pointee* pointee) {
  const void* const pointer = reinterpret_cast<void*>(address);
  pointee->address = address;
  if (const auto found = emulator::Memory::get().find(pointer)) {
    pointee->allocation = *found;
    return Status::kSuccess;
  }
  // A variable of device code is an allocation of its own.
  if (emulator::side_of(pointer) != emulator::Side::kVariable) {
    return Status::kInvalidValue;
  }
  pointee->allocation.base = address;
  pointee->allocation.size = emulator::bytes_at(pointer);
  pointee->allocation.device = emulator::current_device();
  return Status::kSuccess;
}

int device_of(const Allocation& allocation) {
  return allocation.device < 0 ? 0 : allocation.device;
}

// cuPointerGetAttribute (cuda.h): kInvalidValue also where the memory has not
// what is asked for.
Status read(const Pointee& pointee, CUpointer_attribute which, void* data) {
  const Allocation& allocation = pointee.allocation;
  const MemoryKind kind = allocation.kind;
  const bool has_host = is_host(kind) || kind == MemoryKind::kManaged;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return write(data, primary_context(device_of(allocation))->handle);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return write<unsigned>(
          data, is_host(kind) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return write(data, pointee.address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!has_host) return Status::kInvalidValue;
      return write(data, reinterpret_cast<void*>(pointee.address));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return write<unsigned>(data, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return write<unsigned long long>(data, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return write<unsigned>(data, kind == MemoryKind::kManaged ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return write<int>(data, device_of(allocation));
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return write<unsigned>(data, kind == MemoryKind::kDevice ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return write<CUdeviceptr>(data, allocation.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return write<std::size_t>(data, allocation.size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return write<unsigned>(data, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return write<unsigned long long>(
          data, kind == MemoryKind::kVirtual
                    ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
                    : CU_MEM_HANDLE_TYPE_NONE);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return write<unsigned>(data, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return write<int>(data, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: {
      const PoolRef pool =
          emulator::Pool::of(reinterpret_cast<void*>(pointee.address));
      return write(data, pool ? pool_handle(pool) : nullptr);
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return write<unsigned long long>(data, allocation.id);
    default:
      return Status::kNotSupported;
  }
}

// What cuPointerGetAttributes writes for an address that is not known.
void write_unknown(CUpointer_attribute which, void* data) {
  switch (which) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      write<unsigned>(data, 0);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      write<int>(data, CU_DEVICE_INVALID);
      break;
    default:
      write<void*>(data, nullptr);
  }
}

}  // namespace
}  // namespace eclosion::cuda

using namespace eclosion::cuda;

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute which,
                               CUdeviceptr address) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (data == nullptr) return Status::kInvalidValue;
    Pointee pointee;
    const Status status = find(address, &pointee);
    return status != Status::kSuccess ? status : read(pointee, which, data);
  });
}

// cuPointerGetAttributes (cuda.h): an address that is not known is no error,
// and gets a null or 0 for each.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* which,
                                void** data, CUdeviceptr address) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (which == nullptr || data == nullptr) return Status::kInvalidValue;
    Pointee pointee;
    const bool is_known = find(address, &pointee) == Status::kSuccess;
    for (unsigned i = 0; i < count; ++i) {
      if (!is_known || read(pointee, which[i], data[i]) != Status::kSuccess) {
        write_unknown(which[i], data[i]);
      }
    }
    return Status::kSuccess;
  });
}

// Memory operations of such memory are ordered in any case.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute which,
                               CUdeviceptr address) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (value == nullptr || which != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) {
      return Status::kInvalidValue;
    }
    Pointee pointee;
    return find(address, &pointee);
  });
}
