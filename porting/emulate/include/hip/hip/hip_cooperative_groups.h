// HIP's cooperative groups.
#pragma once

#include "hip/hip_runtime.h"

#include "eclosion/cooperative_groups.h"

// The vendor's name for a set of lanes, outside of any namespace.
#if __AMDGCN_WAVEFRONT_SIZE == 32
using lane_mask = unsigned int;
#else
using lane_mask = unsigned long long int;
#endif
