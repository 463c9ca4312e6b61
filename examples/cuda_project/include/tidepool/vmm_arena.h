// A growing device range: addresses are reserved once, memory is mapped into
// them as it is needed, so pointers into the arena stay valid.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidepool/driver.h"

namespace tidepool {

// A range of device memory that another device on the bus can reach.
struct DmabufRange {
  int descriptor = -1;         // owned by the caller; -1: not exportable
  std::size_t offset = 0;      // of the pointer inside the allocation
  std::size_t allocation = 0;  // bytes of the whole allocation
};

DmabufRange export_dmabuf(const void* pointer);

class VmmArena {
 public:
  VmmArena(int ordinal, std::size_t capacity);
  ~VmmArena();
  VmmArena(const VmmArena&) = delete;
  VmmArena& operator=(const VmmArena&) = delete;

  // Returns `bytes` of memory, aligned to `alignment` (a power of two).
  void* allocate(std::size_t bytes, std::size_t alignment = 256);
  // File descriptors of the mapped chunks, in address order, for a peer.
  std::vector<int> export_chunks() const;
  // Maps a chunk that a peer exported; returns its address.
  void* import_chunk(int descriptor, std::size_t bytes);

  bool contains(const void* pointer) const;
  std::uint64_t address() const;
  std::size_t committed() const { return committed_; }

 private:
  void map_chunk(CUmemGenericAllocationHandle handle, std::size_t bytes);
  void grow(std::size_t bytes);

  PrimaryContext context_;
  CUmemAllocationProp properties_{};
  std::size_t granularity_ = 0;
  std::size_t capacity_ = 0;
  std::size_t committed_ = 0;
  std::size_t used_ = 0;
  CUdeviceptr base_ = 0;
  std::vector<CUmemGenericAllocationHandle> handles_;
};

}  // namespace tidepool
