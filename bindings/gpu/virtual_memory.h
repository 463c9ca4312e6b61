// A range of addresses on a device that is backed as it grows and never moves.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eclosion::gpu {

// `capacity` bytes of addresses, of which the first `size` have memory.
class VirtualRange {
 public:
  // `capacity` is rounded up to what the device backs at once.
  VirtualRange(int device, std::size_t capacity);
  VirtualRange(const VirtualRange&) = delete;
  VirtualRange& operator=(const VirtualRange&) = delete;
  ~VirtualRange();

  // Back at least `size` bytes; what was there keeps address and content.
  // Throws std::length_error beyond the capacity.
  void grow(std::size_t size);

  [[nodiscard]] std::uintptr_t address() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t granularity() const noexcept {
    return granularity_;
  }
  [[nodiscard]] int device() const noexcept { return device_; }

 private:
  struct Piece {
    CUmemGenericAllocationHandle handle;
    std::size_t offset;
    std::size_t size;
  };

  void map(CUmemGenericAllocationHandle handle, std::size_t size);
  [[nodiscard]] CUmemAllocationProp properties() const;

  int device_;
  std::size_t granularity_ = 0;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  CUdeviceptr base_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace eclosion::gpu
