// The older bfloat16 of HIP: the vendor's own header, after our functions.
#pragma once

#include "hip/hip_runtime.h"

#include_next <hip/hip_bfloat16.h>
