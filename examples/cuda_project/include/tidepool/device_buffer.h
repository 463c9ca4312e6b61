// Owners of device, pinned and registered memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "tidepool/check.h"

namespace tidepool {

// Stream-ordered memory from the device's default pool, which keeps up to
// `retained` bytes between uses.
void retain_pool_memory(int device, std::size_t retained);

template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::size_t count, cudaStream_t stream)
      : count_(count), stream_(stream) {
    TIDEPOOL_CHECK(cudaMallocAsync(reinterpret_cast<void**>(&data_),
                                   count * sizeof(T), stream));
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) (void)cudaFreeAsync(data_, stream_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }

  void fill_zero() {
    TIDEPOOL_CHECK(cudaMemsetAsync(data_, 0, count_ * sizeof(T), stream_));
  }
  void copy_from(const T* host) {
    TIDEPOOL_CHECK(cudaMemcpyAsync(data_, host, count_ * sizeof(T),
                                   cudaMemcpyHostToDevice, stream_));
  }
  void copy_to(T* host) const {
    TIDEPOOL_CHECK(cudaMemcpyAsync(host, data_, count_ * sizeof(T),
                                   cudaMemcpyDeviceToHost, stream_));
  }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(stream_, other.stream_);
  }

  T* data_ = nullptr;
  std::size_t count_ = 0;
  cudaStream_t stream_ = nullptr;
};

// Page-locked memory that kernels can write through a mapped pointer.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  void* host() const { return host_; }
  void* device() const { return device_; }
  std::size_t size() const { return bytes_; }

 private:
  void* host_ = nullptr;
  void* device_ = nullptr;
  std::size_t bytes_;
};

// Pins memory that somebody else owns, for as long as this object lives.
class RegisteredRange {
 public:
  RegisteredRange(void* start, std::size_t bytes);
  ~RegisteredRange();
  RegisteredRange(const RegisteredRange&) = delete;
  RegisteredRange& operator=(const RegisteredRange&) = delete;

 private:
  void* start_ = nullptr;
};

}  // namespace tidepool
