// Whether device code's addresses are multiples of what their types ask for.
#pragma once

#include <cstddef>

#include "access_check.h"

namespace eclosion::emulator {

// Tell an access of the calling lane whose address is no multiple of
// `alignment`. Whether it may be made at all is checked before. It ends the
// kernel, unless accesses of its kind are carried out.
void refuse_misaligned(const Access& access, std::size_t alignment);

// From now on loads and stores are carried out at any address; atomic accesses
// still end their kernel. Said by the vendor whose devices do so.
void carry_out_misaligned();

}  // namespace eclosion::emulator
