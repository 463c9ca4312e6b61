// What this driver, release or device cannot do.
#pragma once

#include <stdexcept>

namespace eclosion::gpu {

// The text says what is missing, and since when or where it is there.
class UnsupportedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace eclosion::gpu
