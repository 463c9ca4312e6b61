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
#include <vector>

#include "status.h"

namespace eclosion::emulator {

enum class MemoryKind {
  kDevice,
  kHeap,    // of a device, by its code's own malloc
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
  std::uint64_t pool = 0;  // whose it is, see pool.h; 0: of none
  // false: allocated in the order of a stream, which is not there yet.
  bool is_ready = true;

  std::uintptr_t end() const noexcept { return base + size; }
};

struct MemoryState;

class Memory {
 public:
  static Memory& get();

  // Allocate; 0 bytes give a null address and success. kOutOfMemory when the
  // device (all but kPinned) has less left, in steps of kGranule. Addresses
  // are multiples of kGranule, those of kPinned and kManaged have pages of
  // their own. Contents are not zero but 0xCB, where a program that counts on
  // zeros is to fail, except of allocations over 64 MiB and over 1 GiB in all,
  // which would take more time and memory than it tells. kNotInitialized, from
  // free() too, in a child of fork().
  Status allocate(std::size_t size, MemoryKind kind, int device, unsigned flags,
                  const void* site, void** address);
  // Free what allocate() gave with this kind; null is success. kInvalidValue
  // for another address. The caller has seen to it that nothing uses it any
  // more.
  Status free(void* address, MemoryKind kind, const void* site);
  // Free all that allocate() and import_memory() gave for a device.
  void free_all(int device, const void* site);

  // kAlreadyRegistered: some of it is, or is pinned. kInvalidValue: some of it
  // is no memory of the host.
  Status register_host(void* address, std::size_t size, unsigned flags);
  Status unregister_host(void* address);

  // The allocation that an address is in, one past the end not included.
  std::optional<Allocation> find(const void* address) const;
  // Bytes from an address on that are mapped (kVirtual) and may be read at
  // least, `most` at most: mappings behind each other are one range.
  std::size_t readable_mapped(const void* address, std::size_t most) const;
  // The same bytes under another address, whose pages the host's view does not
  // share: kPinned and kManaged only, else null. Valid until it is freed.
  std::byte* alias(const void* address);
  // All that is allocated, registered or mapped, by address.
  std::vector<Allocation> live() const;
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
  Memory();

  MemoryState& state_;
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

  // Addresses, multiples of `alignment` (0: kGranularity); at `wanted` if that
  // is free. Sizes of ranges and of memory are multiples of kGranularity, else
  // kInvalidValue.
  Status reserve(std::size_t size, std::size_t alignment, std::uintptr_t wanted,
                 std::uintptr_t* base);
  // kInvalidValue: not a whole reserved range, or something is mapped in it.
  Status free(std::uintptr_t base, std::size_t size);
  // Memory of a device, or of the host: -1.
  Status create(std::size_t size, int device, const void* site,
                std::uint64_t* handle);
  Status release(std::uint64_t handle);
  // The whole of a handle's memory, from offset 0 on, inside a reserved range
  // where nothing is mapped; else kInvalidValue. It may not be used before
  // set_access().
  Status map(std::uintptr_t at, std::size_t size, std::size_t offset,
             std::uint64_t handle);
  // [at, at + size) consists of whole mappings, here and in set_access().
  Status unmap(std::uintptr_t at, std::size_t size);
  // flags: 0 none, 1 read, 3 read and write. The shadow allows what may be
  // written; of what may only be read, Memory::readable_mapped() tells.
  Status set_access(std::uintptr_t at, std::size_t size, int device,
                    unsigned flags);
  Status get_access(std::uintptr_t at, int device, unsigned* flags) const;
  // A descriptor that another process can import; the caller closes it.
  Status export_file(std::uint64_t handle, int* file);
  // kInvalidValue: not a descriptor of export_file(), of whatever process.
  Status import_file(int file, std::uint64_t* handle);
  // The handle of what is mapped at an address, to be released once more.
  Status retain(std::uintptr_t at, std::uint64_t* handle);
  Status device_of(std::uint64_t handle, int* device, std::size_t* size) const;

 private:
  VirtualMemory();
  struct State;
  State* state_;
};

// Handles by which other processes of the user reach an allocation. They name
// the whole of it, whatever address in it they were made of.
struct SharedHandle {
  unsigned char bytes[64];
};
// kInvalidValue: no allocation of kDevice.
Status export_memory(const void* address, SharedHandle* handle);
// The start of the allocation; opened once more, the same address, to be closed
// once more. kInvalidContext: it is the own process's. kInvalidHandle: no
// handle. kMapFailed: its process has ended, or has freed the memory.
Status import_memory(const SharedHandle& handle, int device, void** address);
Status close_imported(void* address);
// A descriptor of the allocation's memory, as a dmabuf is; the caller closes
// it. `address` is the byte at `offset` of it. Allocations of 64 KiB and more
// start at 0; smaller ones, and more than the limit of open files allows, share
// a file. kInvalidValue: not within the whole pages of one allocation.
Status export_dmabuf(const void* address, std::size_t size, int* file,
                     std::size_t* offset);

}  // namespace eclosion::emulator
