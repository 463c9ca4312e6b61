// The keywords of device code, for a unit compiled for the processor.
//
// A kernel is an ordinary function that the compiler marks for the table of the
// sidecar. A shared variable is thread-local with emulated TLS, so that each
// use asks the emulator for the block's copy. Include this after the vendor's
// own headers, whose macros of the same names it replaces.
#pragma once

#ifndef ECLOSION_DEVICE
#define ECLOSION_DEVICE __attribute__((host, device))
#endif
#include "device_abi.h"
// Programs may use the name; the declarations above no longer need it.
#undef ECLOSION_DEVICE

// Functions of these headers. Without debug information, so that what they do
// is reported at the line of the program that calls them.
#define ECLOSION_FUNCTION \
  static __inline__ __attribute__((device, always_inline, nodebug, unused))
#define ECLOSION_BOTH \
  static __inline__   \
      __attribute__((host, device, always_inline, nodebug, unused))
// The same, of members.
#define ECLOSION_MEMBER \
  __inline__ __attribute__((device, always_inline, nodebug))
#define ECLOSION_BOTH_MEMBER \
  __inline__ __attribute__((host, device, always_inline, nodebug))

#undef __host__
#undef __device__
#undef __global__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __launch_bounds__
#undef __forceinline__
#undef __grid_constant__
#undef __cluster_dims__
#undef __block_size__
#undef __maxnreg__
#undef __local_maxnreg__
#undef __inline_hint__
#undef __nv_pure__

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ \
  __attribute__((global)) __attribute__((annotate("eclosion.kernel")))
#define __shared__ __attribute__((shared)) thread_local
#define __constant__ \
  __attribute__((constant)) __attribute__((annotate("eclosion.constant")))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) \
  __attribute__((annotate("eclosion.bounds", __VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
// Hints to a code generator that is not used here.
#define __grid_constant__
#define __cluster_dims__(...)
#define __block_size__(...)
#define __maxnreg__(...)
#define __local_maxnreg__(...)
#define __inline_hint__
#define __nv_pure__
