// Limits of a context: what device code may use of stacks and heaps.
#pragma once

#include <cuda.h>

#include <cstddef>

#include "statuses.h"

namespace eclosion::cuda {

// The numbers of cudaLimit are the same. False in is_known_limit: no such
// limit, or one that this device does not have.
bool is_known_limit(CUlimit limit);
Status get_limit(int device, CUlimit limit, std::size_t* value);
Status set_limit(int device, CUlimit limit, std::size_t value);

}  // namespace eclosion::cuda
