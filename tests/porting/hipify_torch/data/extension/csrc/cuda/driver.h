// The driver's functions, opened at run time: the module loads where there is no driver.
#pragma once

#include <cuda.h>

#define ROWOPS_DRIVER_FUNCTIONS(_) \
  _(cuGetErrorString)              \
  _(cuPointerGetAttribute)

namespace rowops {

struct Driver {
#define ROWOPS_MEMBER(name) decltype(&name) name##_ = nullptr;
  ROWOPS_DRIVER_FUNCTIONS(ROWOPS_MEMBER)
#undef ROWOPS_MEMBER

  // Throws c10::Error where the driver, or a function of it, is missing.
  static const Driver& get();
};

}  // namespace rowops
