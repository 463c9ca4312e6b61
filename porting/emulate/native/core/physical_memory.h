// Memory of a device that has no address of its own: what virtual memory
// management maps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "memory_file.h"
#include "memory_state.h"

namespace eclosion::emulator {

// It lives as long as a handle or a mapping of it.
class PhysicalMemory {
 public:
  // Null: the device, or this machine, has no memory for it.
  static std::shared_ptr<PhysicalMemory> create(std::size_t size, int device,
                                                const void* site);
  // Of an open file, which it closes; the memory counts for who made it.
  PhysicalMemory(int file, const FileTitle& title, std::size_t size);
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;
  ~PhysicalMemory();

  int file() const noexcept { return file_; }
  std::size_t offset() const noexcept { return offset_; }
  // Whether other processes can have the file: it holds nothing else.
  bool owns_file() const noexcept { return pages_ == 0; }
  std::size_t size() const noexcept { return size_; }
  int device() const noexcept { return title_.device; }
  const FileTitle& title() const noexcept { return title_; }
  const void* site() const noexcept { return site_; }

 private:
  bool put_memory(MemoryState& state);

  int file_;
  FileTitle title_;
  std::size_t size_;
  std::size_t offset_ = 0;
  std::uintptr_t pages_ = 0;  // of the arena's file; 0: it has its own
  std::size_t filled_ = 0;    // counted in MemoryState::filled
  bool is_charged_ = false;
  bool is_counted_ = false;  // among the allocations' own files
  const void* site_ = nullptr;
};

}  // namespace eclosion::emulator
