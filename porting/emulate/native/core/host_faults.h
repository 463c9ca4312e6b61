// Accesses of the host to closed pages (host_guard.h), as the signals that they
// are.
#pragma once

namespace eclosion::emulator {

// Handle SIGSEGV for closed pages from now on; other faults go to the handler
// that was there before. Called before every closing.
void watch_host_faults();

}  // namespace eclosion::emulator
