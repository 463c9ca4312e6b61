// Reserved addresses, mapped chunks, and what leaves the process.
#include "tidepool/vmm_arena.h"

#include <algorithm>
#include <string>

#include "tidepool/check.h"

namespace tidepool {
namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

CUmemAllocationProp shareable_memory(int ordinal) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = ordinal;
  properties.allocFlags.gpuDirectRDMACapable = 1;
  return properties;
}

void require_virtual_memory(CUdevice device) {
  int supported = 0;
  TIDEPOOL_CHECK_DRIVER(require_driver().cuDeviceGetAttribute_(
      &supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
      device));
  if (supported == 0) {
    throw GpuError("this device cannot map memory into reserved addresses");
  }
}

}  // namespace

VmmArena::VmmArena(int ordinal, std::size_t capacity)
    : context_(ordinal), properties_(shareable_memory(ordinal)) {
  const DriverTable* api = &require_driver();
  require_virtual_memory(context_.device());
  TIDEPOOL_CHECK_DRIVER(api->cuMemGetAllocationGranularity_(
      &granularity_, &properties_, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  capacity_ = round_up(capacity, granularity_);
  const CUdeviceptr anywhere = 0;
  TIDEPOOL_CHECK_DRIVER(
      api->cuMemAddressReserve_(&base_, capacity_, granularity_, anywhere, 0));
}

VmmArena::~VmmArena() {
  const DriverTable* api = driver();
  if (api == nullptr || base_ == 0) return;
  if (committed_ != 0) (void)api->cuMemUnmap_(base_, committed_);
  for (CUmemGenericAllocationHandle handle : handles_) {
    (void)api->cuMemRelease_(handle);
  }
  (void)api->cuMemAddressFree_(base_, capacity_);
}

void VmmArena::map_chunk(CUmemGenericAllocationHandle handle,
                         std::size_t bytes) {
  const DriverTable* api = &require_driver();
  const CUdeviceptr at = base_ + committed_;
  TIDEPOOL_CHECK_DRIVER(api->cuMemMap_(at, bytes, 0, handle, 0));
  CUmemAccessDesc access{};
  access.location = properties_.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  TIDEPOOL_CHECK_DRIVER(api->cuMemSetAccess_(at, bytes, &access, 1));
  handles_.push_back(handle);
  committed_ += bytes;
}

void VmmArena::grow(std::size_t bytes) {
  const std::size_t chunk = round_up(bytes, granularity_);
  if (committed_ + chunk > capacity_) {
    throw GpuError("the arena is full: " + std::to_string(capacity_) +
                   " bytes are reserved");
  }
  CUmemGenericAllocationHandle handle = 0;
  TIDEPOOL_CHECK_DRIVER(
      require_driver().cuMemCreate_(&handle, chunk, &properties_, 0));
  map_chunk(handle, chunk);
}

void* VmmArena::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t start =
      round_up(used_, std::max<std::size_t>(alignment, 1));
  if (start + bytes > committed_) grow(start + bytes - committed_);
  used_ = start + bytes;
  return reinterpret_cast<void*>(base_ + start);
}

std::vector<int> VmmArena::export_chunks() const {
  std::vector<int> descriptors;
  for (CUmemGenericAllocationHandle handle : handles_) {
    int descriptor = -1;
    TIDEPOOL_CHECK_DRIVER(require_driver().cuMemExportToShareableHandle_(
        &descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    descriptors.push_back(descriptor);
  }
  return descriptors;
}

void* VmmArena::import_chunk(int descriptor, std::size_t bytes) {
  CUmemGenericAllocationHandle handle = 0;
  TIDEPOOL_CHECK_DRIVER(require_driver().cuMemImportFromShareableHandle_(
      &handle, reinterpret_cast<void*>(static_cast<std::uintptr_t>(descriptor)),
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  const CUdeviceptr at = base_ + committed_;
  map_chunk(handle, round_up(bytes, granularity_));
  used_ = committed_;
  return reinterpret_cast<void*>(at);
}

bool VmmArena::contains(const void* pointer) const {
  const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(pointer);
  return address >= base_ && address - base_ < committed_;
}

std::uint64_t VmmArena::address() const {
  return static_cast<std::uint64_t>(base_);
}

DmabufRange export_dmabuf(const void* pointer) {
  const DriverTable& api = require_driver();
  const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(pointer);
  CUdeviceptr base = 0;
  DmabufRange range;
  TIDEPOOL_CHECK_DRIVER(
      api.cuMemGetAddressRange_v2_(&base, &range.allocation, address));
  range.offset = address - base;
  if (api.cuMemGetHandleForAddressRange_ == nullptr) return range;
  const CUresult status = api.cuMemGetHandleForAddressRange_(
      &range.descriptor, base, range.allocation,
      CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
  if (status == CUDA_ERROR_NOT_SUPPORTED) return range;
  TIDEPOOL_CHECK_DRIVER(status);
  return range;
}

}  // namespace tidepool
