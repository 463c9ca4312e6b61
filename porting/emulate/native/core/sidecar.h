// A sidecar library, loaded once per device, since its variables are the
// device's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sidecar_abi.h"

namespace eclosion::emulator {

class Sidecar {
 public:
  // Null, with a line on stderr, for a file that is no sidecar.
  static std::unique_ptr<Sidecar> load(const std::string& path, bool is_first);

  const SidecarRecord& record() const noexcept { return *record_; }
  const std::string& path() const noexcept { return path_; }
  bool has(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - base_ < size_;
  }
  std::uint64_t offset_of(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - base_;
  }

 private:
  std::string path_;
  const SidecarRecord* record_ = nullptr;
  std::uintptr_t base_ = 0;
  std::size_t size_ = 0;
};

}  // namespace eclosion::emulator
