// Where an allocation lies and what is behind it: addresses, files, mappings.
#pragma once

#include "memory_state.h"
#include "status.h"

namespace eclosion::emulator {

// Give an allocation, whose size, kind, device and charge are set, its place
// and memory that is not zero. Nobody may use it yet, and find() does not know
// it. kOutOfMemory: nothing was taken.
Status place(MemoryState& state, Record& record);

// Undo it; the addresses rest. It is not among the live ones any more, and the
// caller does not hold the state's mutex.
void dismiss(MemoryState& state, const Record& record);

}  // namespace eclosion::emulator
