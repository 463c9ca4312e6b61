// Checkpoint transfer: stream pipelines, replayed graphs, shared windows.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

#include "tidepool/device_buffer.h"

namespace tidepool {

// Copies to the host in chunks through two pinned buffers, so that the copy of
// one chunk overlaps with the consumer's work on the one before.
class ChunkedDownload {
 public:
  using Consumer = std::function<void(const void*, std::size_t)>;

  explicit ChunkedDownload(std::size_t chunk_bytes);
  ~ChunkedDownload();
  ChunkedDownload(const ChunkedDownload&) = delete;
  ChunkedDownload& operator=(const ChunkedDownload&) = delete;

  // Returns the milliseconds that the copies took on the device.
  float run(const void* device, std::size_t bytes, cudaStream_t after,
            const Consumer& consume);

 private:
  PinnedBuffer first_;
  PinnedBuffer second_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t copied_[2] = {nullptr, nullptr};
};

// Records work once and replays it with one call.
class ReplayedWork {
 public:
  using Work = std::function<void(cudaStream_t)>;

  explicit ReplayedWork(const Work& work);
  ~ReplayedWork();
  ReplayedWork(const ReplayedWork&) = delete;
  ReplayedWork& operator=(const ReplayedWork&) = delete;

  void launch(cudaStream_t stream);
  std::size_t nodes() const { return nodes_; }

 private:
  cudaGraphExec_t executable_ = nullptr;
  std::size_t nodes_ = 0;
};

// What one process sends to another so that it can map the same memory.
struct WindowTicket {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t written;
  std::size_t bytes;
};

class SharedWindow {
 public:
  // Owner's side: allocates and publishes.
  explicit SharedWindow(std::size_t bytes);
  // Reader's side: maps what a ticket describes.
  explicit SharedWindow(const WindowTicket& ticket);
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  WindowTicket ticket() const;
  void mark_written(cudaStream_t stream);
  void wait_written(cudaStream_t stream);
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  cudaEvent_t written_ = nullptr;
  std::size_t bytes_;
  bool owner_;
};

}  // namespace tidepool
