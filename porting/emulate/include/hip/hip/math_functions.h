// HIP's mathematical functions are in one header here.
#pragma once

#include "hip/hip_runtime.h"
