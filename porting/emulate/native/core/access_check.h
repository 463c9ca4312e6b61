// Whether device code may touch what it is about to touch.
#pragma once

#include <cstdint>

namespace eclosion::emulator {

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

}  // namespace eclosion::emulator
