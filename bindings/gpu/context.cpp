// Retain, make current, put back.
#include "context.h"

#include "driver.h"

namespace eclosion::gpu {

PrimaryContext::PrimaryContext(int device) : device_(device) {
  CUcontext context = nullptr;
  ECLOSION_DRIVER_CALL(cuInit, 0);
  ECLOSION_DRIVER_CALL(cuCtxGetCurrent, &before_);
  ECLOSION_DRIVER_CALL(cuDevicePrimaryCtxRetain, &context, device);
  try {
    ECLOSION_DRIVER_CALL(cuCtxSetCurrent, context);
  } catch (...) {
    static_cast<void>(Driver::get().cuDevicePrimaryCtxRelease_(device));
    throw;
  }
}

PrimaryContext::~PrimaryContext() {
  const Driver& driver = Driver::get();
  static_cast<void>(driver.cuCtxSetCurrent_(before_));
  static_cast<void>(driver.cuDevicePrimaryCtxRelease_(device_));
}

bool PrimaryContext::is_active(int device) {
  unsigned int flags = 0;
  int active = 0;
  ECLOSION_DRIVER_CALL(cuInit, 0);
  ECLOSION_DRIVER_CALL(cuDevicePrimaryCtxGetState, device, &flags, &active);
  return active != 0;
}

}  // namespace eclosion::gpu
