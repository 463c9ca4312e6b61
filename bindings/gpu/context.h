// The primary context of a device, which the driver API needs and the runtime
// shares.
#pragma once

#include <cuda.h>

namespace eclosion::gpu {

// Keeps a device's primary context alive and makes it the thread's.
class PrimaryContext {
 public:
  explicit PrimaryContext(int device);
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext();

  // Whether anybody has made the device's context yet; asking makes none.
  static bool is_active(int device);

 private:
  int device_;
  CUcontext before_ = nullptr;
};

}  // namespace eclosion::gpu
