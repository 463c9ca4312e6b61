// What the program has made and not given back when it ends; told when
// ECLOSION_EMULATOR_LEAKS asks for it.
//
// Memory is known by what is allocated then; streams and events are noted here,
// since handles are the fronts'.
#pragma once

namespace eclosion::emulator {

enum class Made { kStream, kEvent };

void note_made(Made kind, const void* handle, int device, const void* site);
void note_gone(Made kind, const void* handle);
// A reset of the device takes all that is its.
void note_reset(int device);

}  // namespace eclosion::emulator
