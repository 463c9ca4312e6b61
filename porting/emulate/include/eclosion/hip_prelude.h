// What precedes the first line of a HIP unit. The compiler is told to include
// it, as it includes its own wrapper header for real devices.
#pragma once

#if !defined(__HIP__)
#error "a HIP unit of the emulator is compiled as HIP (-x hip)"
#endif

// The width of a wave, which the compiler knows of real devices: 64 lanes
// before gfx10.
#if !defined(__AMDGCN_WAVEFRONT_SIZE)
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif
#if !defined(__AMDGCN_WAVEFRONT_SIZE__)
#define __AMDGCN_WAVEFRONT_SIZE__ __AMDGCN_WAVEFRONT_SIZE
#endif

#include "hip_language.h"

#include <algorithm>
#include <sstream>
#include <utility>

// Complex numbers of the C++ library work in device code; what their header
// includes does not, so it comes before.
#pragma clang force_cuda_host_device begin
#include <complex>
#pragma clang force_cuda_host_device end

#if __cplusplus < 201402L
// Constant expressions from C++14 on, which device code may call anyway.
namespace std {
template <typename T>
ECLOSION_FUNCTION const T& min(const T& left, const T& right) {
  return right < left ? right : left;
}
template <typename T>
ECLOSION_FUNCTION const T& max(const T& left, const T& right) {
  return left < right ? right : left;
}
}  // namespace std
#endif
