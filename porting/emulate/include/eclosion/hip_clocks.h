// Clocks, barriers and other functions of device code that only HIP names.
#pragma once

#include "barriers.h"

ECLOSION_FUNCTION long long __clock64() { return clock64(); }
ECLOSION_FUNCTION long long __clock() { return clock64(); }
// Of a constant frequency; here all clocks are one.
ECLOSION_FUNCTION long long wall_clock64() { return clock64(); }

// Fences of barriers by the kind of memory: a barrier orders all of it here.
#define __CLK_LOCAL_MEM_FENCE 0x01
#define __CLK_GLOBAL_MEM_FENCE 0x02
typedef unsigned __cl_mem_fence_flags;
ECLOSION_FUNCTION void __work_group_barrier(__cl_mem_fence_flags) {
  __syncthreads();
}
ECLOSION_FUNCTION void __barrier(int) { __syncthreads(); }
ECLOSION_FUNCTION void __named_sync() { __syncthreads(); }
