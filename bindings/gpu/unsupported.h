// What this driver, release or device cannot do.
#pragma once

#include <string>

#include "error.h"

namespace eclosion::gpu {

// The vendor's status says so, or a function is missing: then the text says
// which, and since when it is there.
class UnsupportedError : public GpuError {
 public:
  explicit UnsupportedError(const GpuError& error) : GpuError(error) {}
  UnsupportedError(const std::string& call, const std::string& text)
      : GpuError(text, call, 0, "", text) {}
};

}  // namespace eclosion::gpu
