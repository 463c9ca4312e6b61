// Copies that a device makes while its threads go on; here they are made at
// once.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include "device_functions.h"

namespace eclosion_device {

// In the largest pieces that both ranges allow, as the hardware does.
ECLOSION_FUNCTION void copy_alone(void* to, const void* from, size_t bytes) {
  const size_t places = (size_t)to | (size_t)from | bytes;
  if (places % 4 == 0) {
    for (size_t at = 0; at < bytes / 4; ++at) {
      static_cast<unsigned*>(to)[at] = static_cast<const unsigned*>(from)[at];
    }
  } else {
    for (size_t at = 0; at < bytes; ++at) {
      static_cast<char*>(to)[at] = static_cast<const char*>(from)[at];
    }
  }
}

}  // namespace eclosion_device

namespace cuda {

// A number of bytes that is known to be a multiple of an alignment.
template <size_t kAlignment>
struct aligned_size_t {
  static constexpr size_t align = kAlignment;
  size_t value;
  ECLOSION_BOTH_MEMBER explicit aligned_size_t(size_t bytes) : value(bytes) {}
  ECLOSION_BOTH_MEMBER operator size_t() const { return value; }
};

}  // namespace cuda
