// Hints on where managed memory is: checked, and without effect, since all
// reach it where it is.
#pragma once

#include <cuda.h>

#include <cstddef>

#include "statuses.h"

namespace eclosion::cuda {

// kInvalidValue: no managed memory, or more than there is of it.
Status check_advice(const void* address, std::size_t size, CUmem_advise advice,
                    const CUmemLocation& location);
Status check_prefetch(const void* address, std::size_t size,
                      const CUmemLocation& location, unsigned flags,
                      CUstream stream);

}  // namespace eclosion::cuda
