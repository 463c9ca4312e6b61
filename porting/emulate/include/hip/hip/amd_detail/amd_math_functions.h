// In the place of the vendor's header of this name, which is for its devices.
#pragma once

#include "hip/hip_runtime.h"
