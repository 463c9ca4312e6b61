// The shared memory of a block: where its variables lie, and its dynamic part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared_shadow.h"

namespace eclosion::emulator {

// What the compiler makes of a variable that each block has for itself (the
// ABI of emulated thread-local storage: LLVM's docs, "EmuTLS").
struct SharedVariable {
  std::size_t size;
  std::size_t alignment;
  std::uintptr_t number;  // 0: none yet; kDynamic: the launch's dynamic part
  void* initial;
  static constexpr std::uintptr_t kDynamic = ~std::uintptr_t{0};
};

class SharedSegment {
 public:
  static constexpr std::size_t kBytes = std::size_t{256} << 10;
  // Bytes between variables, which nothing may touch.
  static constexpr std::size_t kGap = 64;

  SharedSegment();
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  // Begin a launch: variables get new places. Begin a block: contents become
  // garbage, as they are on a device.
  void begin_launch(std::size_t dynamic_bytes);
  void begin_block();
  // Nobody has touched anything: for when the shadow's epochs begin anew.
  void forget_accesses();

  // The place of a variable; null when the block has no room for it.
  void* place(SharedVariable& variable);

  bool has(std::uintptr_t address) const noexcept {
    return address - base() < kBytes;
  }
  std::uintptr_t base() const noexcept {
    return reinterpret_cast<std::uintptr_t>(bytes_);
  }
  std::size_t used() const noexcept { return used_; }
  std::size_t dynamic_bytes() const noexcept { return dynamic_; }
  // Whether an access lies in one variable.
  bool is_within(std::size_t offset, unsigned size) const noexcept;
  // Start of the variable nearest below, and its size, for findings.
  void nearest(std::size_t offset, std::size_t* start, std::size_t* size) const;

  SharedShadow& shadow() noexcept { return shadow_; }

 private:
  struct Part {
    std::size_t start;
    std::size_t size;
  };
  void add_part(std::size_t start, std::size_t size);

  std::byte* bytes_;
  SharedShadow shadow_;
  std::vector<std::uint32_t> places_;  // by number; 0: none, else start + 1
  std::vector<std::uintptr_t> placed_;
  std::vector<Part> parts_;
  std::size_t used_ = 0;
  std::size_t dynamic_ = 0;
};

}  // namespace eclosion::emulator
