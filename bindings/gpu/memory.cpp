// Allocations, pinning and copies by the runtime API.
#include "memory.h"

#include <utility>

#include "device.h"
#include "error.h"

namespace eclosion::gpu {
namespace {

void* pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

Memory::Memory(std::uintptr_t address, std::size_t size, int device,
               Release release)
    : address_(address),
      size_(size),
      device_(device),
      release_(std::move(release)) {}

Memory::Memory(Memory&& other) noexcept
    : address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)),
      device_(other.device_),
      release_(std::exchange(other.release_, nullptr)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  Memory taken(std::move(other));  // what we held is released with it
  std::swap(address_, taken.address_);
  std::swap(size_, taken.size_);
  std::swap(device_, taken.device_);
  std::swap(release_, taken.release_);
  return *this;
}

Memory::~Memory() {
  if (release_) release_(address_);
}

Memory allocate(std::size_t size, int device) {
  const DeviceScope scope(device);
  void* address = nullptr;
  ECLOSION_CALL(cudaMalloc, &address, size);
  return {number(address), size, device, [device](std::uintptr_t at) {
            const DeviceScope there(device, std::nothrow);
            static_cast<void>(cudaFree(pointer(at)));
          }};
}

Memory allocate_pinned(std::size_t size, int device) {
  const DeviceScope scope(device);
  void* address = nullptr;
  ECLOSION_CALL(cudaHostAlloc, &address, size,
                cudaHostAllocPortable | cudaHostAllocMapped);
  return {number(address), size, -1, [device](std::uintptr_t at) {
            const DeviceScope there(device, std::nothrow);
            static_cast<void>(cudaFreeHost(pointer(at)));
          }};
}

Memory register_host(std::uintptr_t address, std::size_t size, int device) {
  const DeviceScope scope(device);
  ECLOSION_CALL(cudaHostRegister, pointer(address), size,
                cudaHostRegisterPortable | cudaHostRegisterMapped);
  return {address, size, -1, [device](std::uintptr_t at) {
            const DeviceScope there(device, std::nothrow);
            static_cast<void>(cudaHostUnregister(pointer(at)));
          }};
}

std::uintptr_t device_address(std::uintptr_t host, int device) {
  const DeviceScope scope(device);
  void* address = nullptr;
  ECLOSION_CALL(cudaHostGetDevicePointer, &address, pointer(host), 0);
  return number(address);
}

void copy(std::uintptr_t to, std::uintptr_t from, std::size_t size,
          const Stream& stream) {
  const DeviceScope scope(stream.device());
  ECLOSION_CALL(cudaMemcpyAsync, pointer(to), pointer(from), size,
                cudaMemcpyDefault, stream.get());
}

void fill(std::uintptr_t to, std::uint8_t value, std::size_t size,
          const Stream& stream) {
  const DeviceScope scope(stream.device());
  ECLOSION_CALL(cudaMemsetAsync, pointer(to), value, size, stream.get());
}

void Pool::Deleter::operator()(cudaMemPool_t pool) const noexcept {
  static_cast<void>(cudaMemPoolDestroy(pool));
}

Pool::Pool(int device, std::size_t keep) : device_(device) {
  const DeviceScope scope(device);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  ECLOSION_CALL(cudaMemPoolCreate, &pool, &properties);
  pool_ = {pool, Deleter()};
  std::uint64_t threshold = keep;
  ECLOSION_CALL(cudaMemPoolSetAttribute, pool, cudaMemPoolAttrReleaseThreshold,
                &threshold);
}

Memory Pool::allocate(std::size_t size, const Stream& stream) const {
  const DeviceScope scope(stream.device());
  void* address = nullptr;
  cudaStream_t queue = stream.get();
  ECLOSION_CALL(cudaMallocFromPoolAsync, &address, size, pool_.get(), queue);
  // The pool lives on while memory of it does.
  return {number(address), size, device_,
          [queue, device = stream.device(), pool = pool_](std::uintptr_t at) {
            const DeviceScope there(device, std::nothrow);
            static_cast<void>(cudaFreeAsync(pointer(at), queue));
          }};
}

void Pool::trim(std::size_t keep) const {
  ECLOSION_CALL(cudaMemPoolTrimTo, pool_.get(), keep);
}

std::size_t Pool::reserved() const {
  return attribute(cudaMemPoolAttrReservedMemCurrent);
}

std::size_t Pool::used() const {
  return attribute(cudaMemPoolAttrUsedMemCurrent);
}

std::size_t Pool::attribute(cudaMemPoolAttr which) const {
  std::uint64_t value = 0;
  ECLOSION_CALL(cudaMemPoolGetAttribute, pool_.get(), which, &value);
  return value;
}

}  // namespace eclosion::gpu
