// __pipeline_memcpy_async and what waits for it; the copy is made at once.
#pragma once

#include "async_copies.h"

// The last `filled` bytes of the target become 0 instead.
ECLOSION_FUNCTION void __pipeline_memcpy_async(void* to, const void* from,
                                               size_t bytes,
                                               size_t filled = 0) {
  eclosion_device::copy_alone(to, from, bytes - filled);
  for (size_t at = bytes - filled; at < bytes; ++at) {
    static_cast<char*>(to)[at] = 0;
  }
}
ECLOSION_FUNCTION void __pipeline_commit() {}
ECLOSION_FUNCTION void __pipeline_wait_prior(size_t) {}
