// Types that ask for more than the size of one load or store have a call of
// their own, which porting/emulate/alignment.py puts before the access.
#include "alignment_check.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include "block.h"
#include "findings.h"
#include "wave_findings.h"

namespace eclosion::emulator {
namespace {

std::atomic<bool> are_carried_out{false};

std::string text_of(const Access& access, std::size_t alignment) {
  char at[24];
  std::snprintf(at, sizeof at, "0x%llx",
                static_cast<unsigned long long>(access.address));
  return std::string(access.is_atomic  ? "atomic access"
                     : access.is_write ? "write"
                                       : "read") +
         " of " + std::to_string(access.size) + " bytes at " + at +
         ", which is no multiple of " + std::to_string(alignment) +
         (alignment > access.size ? ", as its type asks for" : "");
}

}  // namespace

void carry_out_misaligned() { are_carried_out.store(true); }

void refuse_misaligned(const Access& access, std::size_t alignment) {
  // Code that a sidecar runs when it is loaded is no kernel's.
  if (current.lane == nullptr) return;
  check_access(access);
  Finding finding{Kind::kMisaligned, text_of(access, alignment), "", {}, {}};
  finding.kernel = current.block->grid().request().kernel->name;
  finding.at = {access.site, describe(*current.lane)};
  tell(finding);
  if (access.is_atomic || !are_carried_out.load(std::memory_order_relaxed))
    current.block->stop(Status::kMisalignedAddress);
}

}  // namespace eclosion::emulator

using eclosion::emulator::refuse_misaligned;

extern "C" void eclosion_check_alignment(const void* place,
                                         std::size_t alignment,
                                         std::size_t size,
                                         std::size_t is_write) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  if ((address & (alignment - 1)) == 0 || size == 0) [[likely]]
    return;
  // The rest of what is copied is checked when it is copied.
  constexpr std::size_t kMost = 128;
  refuse_misaligned({address, static_cast<unsigned>(std::min(size, kMost)),
                     is_write != 0, false, __builtin_return_address(0)},
                    alignment);
}
