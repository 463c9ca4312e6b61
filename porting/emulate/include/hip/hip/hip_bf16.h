// bfloat16: the vendor's own header, after our device functions.
#pragma once

#include "hip/hip_runtime.h"

#include_next <hip/hip_bf16.h>
