// A reset makes a failed device usable again; what else is said of failures is
// in stream.h.
#pragma once

namespace eclosion::emulator {

void forget_failure(int device) noexcept;

}  // namespace eclosion::emulator
