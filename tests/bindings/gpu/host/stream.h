// A stream that nothing asks anything.
#pragma once

namespace eclosion::gpu {

struct Stream {};

}  // namespace eclosion::gpu
