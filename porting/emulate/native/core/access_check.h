// Whether device code may touch what it is about to touch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accesses.h"
#include "shared_shadow.h"

namespace eclosion::emulator {

class SharedSegment;

struct Access {
  std::uintptr_t address;
  unsigned size;
  bool is_write;
  bool is_atomic;
  const void* site;
};

// Check an access of the calling lane. One that cannot be carried out is told
// and ends the kernel: the call does not return.
void check_access(const Access& access);

// What the fast path of the check looks at (access_fast_path.h), together, for
// the lane that runs. As it is made nothing is left to the fast path.
struct Checks {
  static constexpr std::uintptr_t kNowhere = ~std::uintptr_t{0} >> 1;

  // The block's shared memory; kNowhere while check_access() has to see each
  // access to it.
  std::uintptr_t shared = kNowhere;
  SharedCell* shared_cells = nullptr;
  SharedCell* shared_bytes = nullptr;
  Author author;

  std::uintptr_t arena = 0;
  std::size_t arena_size = 0;
  const std::uint16_t* usable = nullptr;  // of each granule
  AccessCell* cells = nullptr;
  const Operation* operation = nullptr;
  std::uint32_t toucher = 0;  // the operation's, without bytes
};

// The checks of a block that begins or goes on; `author` is for each lane.
Checks checks_of(SharedSegment& shared, const Operation& operation);

// The block pauses or ends: what was left open is told now.
void settle_accesses();

}  // namespace eclosion::emulator
