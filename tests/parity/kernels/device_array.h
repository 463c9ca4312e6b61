// Statuses, streams, device memory and launches of the entry points.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "kernels.h"

namespace parity {

// The status of a call that failed: what the entry point returns.
struct Failure {
  cudaError_t status;
};

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw Failure{status};
}

// Runs the body of an entry point; exceptions do not cross a C interface.
template <typename Body>
int guarded(Body body) {
  try {
    body();
    return static_cast<int>(cudaSuccess);
  } catch (const Failure& failure) {
    return static_cast<int>(failure.status);
  }
}

class Stream {
 public:
  Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

// Memory of the device for `count` elements. Copies go through the stream, and
// are done when it has been synchronized.
template <typename T>
class DeviceArray {
 public:
  DeviceArray(const Stream& stream, Count count)
      : stream_(stream.get()), count_(static_cast<std::size_t>(count)) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count_ * sizeof(T)));
    data_ = static_cast<T*>(memory);
  }
  DeviceArray(const Stream& stream, const T* host, Count count)
      : DeviceArray(stream, count) {
    copy_from(host);
  }
  ~DeviceArray() { static_cast<void>(cudaFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  Count size() const { return static_cast<Count>(count_); }

  void copy_from(const T* host) {
    if (count_ == 0) return;
    check(cudaMemcpyAsync(data_, host, count_ * sizeof(T),
                          cudaMemcpyHostToDevice, stream_));
  }
  void copy_to(T* host) const {
    if (count_ == 0) return;
    check(cudaMemcpyAsync(host, data_, count_ * sizeof(T),
                          cudaMemcpyDeviceToHost, stream_));
  }
  void zero() {
    if (count_ == 0) return;
    check(cudaMemsetAsync(data_, 0, count_ * sizeof(T), stream_));
  }

 private:
  cudaStream_t stream_;
  std::size_t count_;
  T* data_ = nullptr;
};

// A multiple of the width of a warp on every GPU.
constexpr int kThreads = 128;
// More blocks than this only wait for each other: grid-stride loops go on.
constexpr Count kMaxBlocks = 16;

inline unsigned divided_up(Count items, Count by) {
  return static_cast<unsigned>((items + by - 1) / by);
}

// Blocks for a grid-stride loop over the items.
inline unsigned blocks_for(Count items) {
  return std::clamp(divided_up(items, kThreads), 1U,
                    static_cast<unsigned>(kMaxBlocks));
}

inline int warp_size() {
  int device = 0;
  int lanes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, device));
  return lanes;
}

// Blocks for one warp per item.
inline unsigned blocks_of_warps_for(Count items) {
  return std::max(1U, divided_up(items, kThreads / warp_size()));
}

// The status of the launch before it.
inline void check_launch() { check(cudaGetLastError()); }

}  // namespace parity
