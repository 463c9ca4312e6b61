// Reserve, create, map: the driver's virtual memory management.
#include "virtual_memory.h"

#include <stdexcept>
#include <string>

#include "device.h"
#include "driver.h"

namespace eclosion::gpu {
namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

VirtualRange::VirtualRange(int device, std::size_t capacity) : device_(device) {
  const DeviceScope scope(device);
  const CUmemAllocationProp wanted = properties();
  ECLOSION_DRIVER_CALL(cuMemGetAllocationGranularity, &granularity_, &wanted,
                       CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  capacity_ = round_up(capacity, granularity_);
  ECLOSION_DRIVER_CALL(cuMemAddressReserve, &base_, capacity_, granularity_, 0,
                       0);
}

VirtualRange::~VirtualRange() {
  const DeviceScope there(device_, std::nothrow);
  const Driver& driver = Driver::get();
  for (const Piece& piece : pieces_) {
    static_cast<void>(driver.cuMemUnmap_(base_ + piece.offset, piece.size));
    static_cast<void>(driver.cuMemRelease_(piece.handle));
  }
  static_cast<void>(driver.cuMemAddressFree_(base_, capacity_));
}

void VirtualRange::grow(std::size_t size) {
  if (size <= size_) return;
  if (size > capacity_) {  // before it is rounded up, which may wrap around
    throw std::length_error("a range of " + std::to_string(capacity_) +
                            " bytes cannot grow to " + std::to_string(size) +
                            "; reserve a larger one");
  }
  const DeviceScope scope(device_);
  const std::size_t wanted = round_up(size, granularity_);
  const std::size_t more = wanted - size_;
  const CUmemAllocationProp kind = properties();
  CUmemGenericAllocationHandle handle{};
  ECLOSION_DRIVER_CALL(cuMemCreate, &handle, more, &kind, 0);
  try {
    map(handle, more);
  } catch (...) {
    static_cast<void>(Driver::get().cuMemRelease_(handle));
    throw;
  }
  pieces_.push_back({handle, size_, more});
  size_ = wanted;
}

void VirtualRange::map(CUmemGenericAllocationHandle handle, std::size_t size) {
  const CUdeviceptr at = base_ + size_;
  ECLOSION_DRIVER_CALL(cuMemMap, at, size, 0, handle, 0);
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device_;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  try {
    ECLOSION_DRIVER_CALL(cuMemSetAccess, at, size, &access, 1);
  } catch (...) {
    static_cast<void>(Driver::get().cuMemUnmap_(at, size));
    throw;
  }
}

CUmemAllocationProp VirtualRange::properties() const {
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  kind.location.id = device_;
  return kind;
}

std::uintptr_t VirtualRange::address() const noexcept {
  return static_cast<std::uintptr_t>(base_);
}

}  // namespace eclosion::gpu
