// The context of a device that all libraries of a process share.
#pragma once

namespace eclosion::gpu {

// Whether anybody in this process has made the device's context yet, which
// takes memory and forbids to fork; asking makes none.
bool has_context(int device);

}  // namespace eclosion::gpu
