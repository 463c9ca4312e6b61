// What device memory held when it was freed, or when the program ended: for
// comparing two runs.
#pragma once

#include "memory.h"

namespace eclosion::emulator {

// Add a line to the file that ECLOSION_EMULATOR_TRACE names: the allocation's
// size, where it was asked for, and digests of its parts. Nothing without one.
// The memory is still there, and nothing writes to it any more.
void trace_buffer(const Allocation& allocation);

}  // namespace eclosion::emulator
