// Pools, pinned memory and registered host ranges.
#include <cstdint>
#include <string>

#include "tidepool/device_buffer.h"

namespace tidepool {

void retain_pool_memory(int device, std::size_t retained) {
  int supported = 0;
  TIDEPOOL_CHECK(cudaDeviceGetAttribute(
      &supported, cudaDevAttrMemoryPoolsSupported, device));
  if (supported == 0) {
    throw GpuError("device " + std::to_string(device) + " has no memory pools");
  }
  cudaMemPool_t pool = nullptr;
  std::uint64_t threshold = retained;
  TIDEPOOL_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  TIDEPOOL_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                         &threshold));
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
  TIDEPOOL_CHECK(cudaHostAlloc(&host_, bytes,
                               cudaHostAllocPortable | cudaHostAllocMapped));
  const cudaError_t status = cudaHostGetDevicePointer(&device_, host_, 0);
  if (status != cudaSuccess) {
    (void)cudaFreeHost(host_);
    TIDEPOOL_CHECK(status);
  }
}

PinnedBuffer::~PinnedBuffer() { (void)cudaFreeHost(host_); }

RegisteredRange::RegisteredRange(void* start, std::size_t bytes) {
  const cudaError_t status =
      cudaHostRegister(start, bytes, cudaHostRegisterPortable);
  if (status == cudaErrorHostMemoryAlreadyRegistered) {
    (void)cudaGetLastError();  // its owner will unpin it
    return;
  }
  TIDEPOOL_CHECK(status);
  start_ = start;
}

RegisteredRange::~RegisteredRange() {
  if (start_ != nullptr) (void)cudaHostUnregister(start_);
}

}  // namespace tidepool
