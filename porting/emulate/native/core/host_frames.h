// Where the program's own code is, when the host faults in a library's.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace eclosion::emulator {

// The code that runs in a thread, outwards: what comes after the instruction's
// first byte, then return addresses.
struct HostFrames {
  std::array<const void*, 24> at;
  std::size_t count;
};

// Those at an instruction that a signal interrupted, for its handler: without
// locks and without memory.
HostFrames frames_at(const void* instruction);

// The innermost that is of no library of the system and of no header of the
// standard library. `within`: the function that the program called there, when
// it is in that function that the thread is; else empty.
struct HostPlace {
  const void* address;
  std::string within;
};
HostPlace own_place(const HostFrames& frames);

}  // namespace eclosion::emulator
