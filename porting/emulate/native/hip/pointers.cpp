// What is known of an address: its memory, its allocation, its attributes.
#include <cstring>

#include "copies.h"
#include "device.h"
#include "front.h"
#include "memory.h"

namespace eclosion::hip {

namespace {

using emulator::Allocation;
using emulator::Memory;
using emulator::MemoryKind;

hipMemoryType type_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPinned:
    case MemoryKind::kRegistered:
      return hipMemoryTypeHost;
    case MemoryKind::kManaged:
      return hipMemoryTypeManaged;
    default:
      return hipMemoryTypeDevice;
  }
}

int device_of(const Allocation& allocation) {
  return allocation.device >= 0 ? allocation.device
                                : emulator::current_device();
}

// A variable of device code is memory of the current device, as far as the
// emulator knows.
std::optional<Allocation> find(const void* address) {
  auto found = Memory::get().find(address);
  if (found || emulator::side_of(address) != emulator::Side::kVariable) {
    return found;
  }
  Allocation variable;
  variable.base = reinterpret_cast<std::uintptr_t>(address);
  variable.size = emulator::bytes_at(address);
  variable.device = emulator::current_device();
  return variable;
}

template <typename T>
hipError_t answer(void* to, T value) {
  std::memcpy(to, &value, sizeof(value));
  return hipSuccess;
}

hipError_t attribute_of(const Allocation& found, const void* address,
                        hipPointer_attribute attribute, void* to) {
  const hipMemoryType type = type_of(found.kind);
  const bool is_host = type != hipMemoryTypeDevice;
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer(to, type);
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return answer(to, address);
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      return is_host ? answer(to, address) : hipErrorInvalidValue;
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer(to, static_cast<unsigned>(found.id));
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer(to, type == hipMemoryTypeManaged);
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer(to, device_of(found));
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return answer(to, found.base);
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
      return answer(to, found.size);
    case HIP_POINTER_ATTRIBUTE_MAPPED:
      return answer(to, true);
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return answer(to, 0U);
    default:
      // driver_types.h marks the others as not supported in HIP.
      return attribute < HIP_POINTER_ATTRIBUTE_CONTEXT ||
                     attribute > HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
                 ? hipErrorInvalidValue
                 : hipErrorNotSupported;
  }
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

// hip_runtime_api.h: an address that no call of HIP gave is
// hipErrorInvalidValue, as it was in CUDA before 11.0. Null is no error
// from 7.0 on (HIP documentation, "HIP API 7.0 changes").
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes,
                                   const void* address) {
  return call(__func__, [&] {
    if (attributes == nullptr || address == nullptr) {
      if (!release_is_at_least(7)) return hipErrorInvalidValue;
      if (attributes != nullptr) *attributes = {};
      return hipSuccess;
    }
    const auto found = find(address);
    if (!found) return hipErrorInvalidValue;
    *attributes = {};
    attributes->type = type_of(found->kind);
    attributes->device = device_of(*found);
    attributes->devicePointer = const_cast<void*>(address);
    if (attributes->type != hipMemoryTypeDevice) {
      attributes->hostPointer = const_cast<void*>(address);
    }
    attributes->isManaged = attributes->type == hipMemoryTypeManaged;
    attributes->allocationFlags = found->flags;
    return hipSuccess;
  });
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute,
                                  hipDeviceptr_t address) {
  return call(__func__, [&] {
    if (data == nullptr || address == nullptr) return hipErrorInvalidValue;
    const auto found = find(address);
    if (!found) return hipErrorInvalidValue;
    return attribute_of(*found, address, attribute, data);
  });
}

// An address that no call gave has attributes of 0 here (hip_runtime_api.h,
// hipDrvPointerGetAttributes follows cuPointerGetAttributes).
hipError_t hipDrvPointerGetAttributes(unsigned count,
                                      hipPointer_attribute* attributes,
                                      void** data, hipDeviceptr_t address) {
  return call(__func__, [&] {
    if (attributes == nullptr || data == nullptr) return hipErrorInvalidValue;
    const auto found = find(address);
    for (unsigned i = 0; i < count; ++i) {
      const hipError_t status =
          found ? attribute_of(*found, address, attributes[i], data[i])
                : answer(data[i], 0);
      if (status == hipErrorNotSupported) return status;
    }
    return hipSuccess;
  });
}

hipError_t hipPointerSetAttribute(const void* value,
                                  hipPointer_attribute attribute,
                                  hipDeviceptr_t address) {
  return call(__func__, [&] {
    const bool is_known = attribute == HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    if (value == nullptr || !is_known || !find(address)) {
      return hipErrorInvalidValue;
    }
    return hipSuccess;  // every synchronous call of the emulator waits
  });
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* size,
                                 hipDeviceptr_t address) {
  return call(__func__, [&] {
    if (address == nullptr) return hipErrorInvalidValue;
    const auto found = find(address);
    if (!found) return hipErrorNotFound;
    if (base != nullptr) *base = reinterpret_cast<void*>(found->base);
    if (size != nullptr) *size = found->size;
    return hipSuccess;
  });
}

hipError_t hipMemPtrGetInfo(void* address, std::size_t* size) {
  return call(__func__, [&] {
    if (address == nullptr || size == nullptr) return hipErrorInvalidValue;
    const auto found = find(address);
    if (!found) return hipErrorInvalidValue;
    *size = found->size;
    return hipSuccess;
  });
}

}  // extern "C"
