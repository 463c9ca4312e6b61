// The driver's word on the primary context.
#include "context.h"

#include "driver.h"

namespace eclosion::gpu {

bool has_context(int device) {
  unsigned int flags = 0;
  int active = 0;
  ECLOSION_DRIVER_CALL(cuInit, 0);
  ECLOSION_DRIVER_CALL(cuDevicePrimaryCtxGetState, device, &flags, &active);
  return active != 0;
}

}  // namespace eclosion::gpu
