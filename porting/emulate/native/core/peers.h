// Which devices a program has given access to the memory of others.
#pragma once

#include "status.h"

namespace eclosion::emulator {

// kPeerAlreadyEnabled; kInvalidDevice for the device itself or none.
Status enable_peer(int device, int peer);
// kPeerNotEnabled.
Status disable_peer(int device, int peer);

// Whether kernels of a device may use memory of another: its own, or that of a
// peer whose access was enabled. Needs no lock.
bool can_reach(int device, int owner);

// Forget what a device was given access to.
void reset_peers(int device);

}  // namespace eclosion::emulator
