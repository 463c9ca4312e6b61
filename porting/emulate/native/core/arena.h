// One range of addresses that all memory of the emulated devices lies in, and
// its shadow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "memory.h"

namespace eclosion::emulator {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kMostArenaBytes = std::size_t{256} << 30;

class Arena {
 public:
  // Reserve addresses, kMostArenaBytes or, where a limit forbids that, halves
  // of it down to 4 GiB. Without even those the arena is empty and complaint()
  // says why.
  explicit Arena(std::uint64_t nonce);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::uintptr_t base() const noexcept { return base_; }
  std::size_t size() const noexcept { return size_; }
  std::uint16_t* shadow() const noexcept { return shadow_; }
  const std::string& complaint() const noexcept { return complaint_; }

  bool has(std::uintptr_t address) const noexcept {
    return address - base_ < size_;
  }

  // The file behind what has none of its own: the byte at an address lies at
  // the address's distance from the base.
  int file() const noexcept { return file_; }
  std::size_t offset_of(std::uintptr_t address) const noexcept {
    return address - base_;
  }

  // Put bytes of a file at whole pages. False: the kernel allows no more
  // mappings.
  bool commit(std::uintptr_t at, std::size_t size, int file,
              std::size_t offset) const;
  // Restrict whole pages to PROT_NONE, PROT_READ...
  void protect(std::uintptr_t at, std::size_t size, int protection) const;
  // Take whole pages away. Their memory is free if no other mapping has it.
  void decommit(std::uintptr_t at, std::size_t size) const;
  // The same for pages of file().
  void decommit_own(std::uintptr_t at, std::size_t size) const;

  void allow(std::uintptr_t at, std::size_t size) const;
  void forbid(std::uintptr_t at, std::size_t size) const;

 private:
  bool reserve(std::size_t size);

  std::uintptr_t base_ = 0;
  std::size_t size_ = 0;
  std::uint16_t* shadow_ = nullptr;
  int file_ = -1;
  std::string complaint_;
};

}  // namespace eclosion::emulator
