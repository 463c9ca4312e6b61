// Which process a number stands for.
#pragma once

#include <cstdint>

namespace eclosion::emulator {

// When a process began, which with its number names it for good. 0: it is gone,
// or waits only to be reaped.
std::uint64_t birth_of(std::int64_t process);

}  // namespace eclosion::emulator
