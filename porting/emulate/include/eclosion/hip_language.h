// What a HIP unit has before its first line: the keywords, and the functions of
// the C and C++ libraries that device code may call.
//
// The compiler's own wrapper header does this for real devices. Here each name
// is bound to a function of the emulator or to the processor's library.
#pragma once

// The vendor's keywords, before ours replace them.
#include <hip/amd_detail/host_defines.h>
#include <hip/hip_version.h>

#include "host_library.h"
#include "qualifiers.h"

#define __CLANG_HIP_RUNTIME_WRAPPER_INCLUDED__ 1

extern "C" __device__ __attribute__((noreturn)) void abort() noexcept
    __asm__("eclosion_trap");
// A trap ends the kernel, not the process.
#define __builtin_trap() ::eclosion_trap()

__device__ void* operator new(size_t size, const std::nothrow_t&) noexcept
    __asm__("eclosion_device_malloc");
__device__ void* operator new[](size_t size, const std::nothrow_t&) noexcept
    __asm__("eclosion_device_malloc");
