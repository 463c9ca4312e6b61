// The memory of the emulated devices: what is allocated, and whether an access
// is within it.
//
// All of it lies in one range of addresses, the arena, with a shadow that holds
// for every 256 bytes how many of them may be used. What is freed stays
// unusable for a while, so a late access is told as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "status.h"

namespace eclosion::emulator {

enum class MemoryKind {
  kDevice,
  kPinned,  // of the host, mapped into devices
  kManaged,
  kRegistered,  // the host's own, outside the arena
  kVirtual,     // mapped into a reserved range
  kImported,    // another process's
};

struct Allocation {
  std::uintptr_t base = 0;
  std::size_t size = 0;  // as asked for
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;  // -1: of no device
  unsigned flags = 0;
  std::uint64_t id = 0;        // never used twice
  const void* site = nullptr;  // where it was asked for
  // Of the file behind it, for sharing; -1: none.
  int file = -1;
  std::size_t file_offset = 0;
};

class Memory {
 public:
  static Memory& get();

  // Allocate; 0 bytes give a null address and success. kOutOfMemory when the
  // device (kDevice, kManaged) has less left. Contents are not zero.
  Status allocate(std::size_t size, MemoryKind kind, int device, unsigned flags,
                  const void* site, void** address);
  // Free what allocate() gave with this kind. kInvalidValue for another
  // address. The caller has seen to it that nothing uses it any more.
  Status free(void* address, MemoryKind kind, const void* site);

  Status register_host(void* address, std::size_t size, unsigned flags);
  Status unregister_host(void* address);

  // The allocation that an address is in, one past the end not included.
  std::optional<Allocation> find(const void* address) const;
  // The allocation that was at an address before it was freed, newest first.
  std::optional<Allocation> find_freed(const void* address,
                                       const void** freed_at) const;

  std::size_t total(int device) const;
  std::size_t available(int device) const;

  // The arena, for the fast check of accesses (access.h).
  std::uintptr_t arena() const noexcept { return arena_; }
  std::size_t arena_size() const noexcept { return arena_size_; }
  const std::uint16_t* shadow() const noexcept { return shadow_; }

 private:
  friend class VirtualMemory;
  Memory();
  struct State;
  State* state_;
  std::uintptr_t arena_ = 0;
  std::size_t arena_size_ = 0;
  std::uint16_t* shadow_ = nullptr;
};

// Bytes that one entry of the shadow speaks of.
inline constexpr std::size_t kGranule = 256;

// Physical memory and reserved ranges (the drivers' virtual memory management).
class VirtualMemory {
 public:
  static VirtualMemory& get();
  static constexpr std::size_t kGranularity = std::size_t{2} << 20;

  Status reserve(std::size_t size, std::size_t alignment, std::uintptr_t wanted,
                 std::uintptr_t* base);
  Status free(std::uintptr_t base, std::size_t size);
  Status create(std::size_t size, int device, const void* site,
                std::uint64_t* handle);
  Status release(std::uint64_t handle);
  Status map(std::uintptr_t at, std::size_t size, std::size_t offset,
             std::uint64_t handle);
  Status unmap(std::uintptr_t at, std::size_t size);
  // flags: 0 none, 1 read, 3 read and write.
  Status set_access(std::uintptr_t at, std::size_t size, int device,
                    unsigned flags);
  Status get_access(std::uintptr_t at, int device, unsigned* flags) const;
  // A descriptor that another process can import; the caller closes it.
  Status export_file(std::uint64_t handle, int* file);
  Status import_file(int file, std::uint64_t* handle);
  Status retain(std::uintptr_t at, std::uint64_t* handle);
  Status device_of(std::uint64_t handle, int* device, std::size_t* size) const;

 private:
  VirtualMemory();
  struct State;
  State* state_;
};

// Handles by which other processes of the user reach an allocation.
struct SharedHandle {
  unsigned char bytes[64];
};
Status export_memory(const void* address, SharedHandle* handle);
// kInvalidContext where it is the own process's.
Status import_memory(const SharedHandle& handle, int device, void** address);
Status close_imported(void* address);
// A descriptor of the allocation's memory, as a dmabuf is: the first byte is
// the allocation's. kInvalidValue outside of whole pages of one allocation.
Status export_dmabuf(const void* address, std::size_t size, int* file);

}  // namespace eclosion::emulator
