// Accesses of the host to closed pages (host_guard.h) and of kernels to guards
// of stacks (stack_overflow.h), as the signals that they are.
#pragma once

namespace eclosion::emulator {

// Handle SIGSEGV for those from now on; other faults go to the handler that was
// there before. Called before every closing and every launch.
void watch_host_faults();

}  // namespace eclosion::emulator
