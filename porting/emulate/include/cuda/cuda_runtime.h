// What nvcc includes by itself: the language of device code and the runtime's
// API. Included before everything else of a unit.
//
// The vendor's own header declares the API. Its headers of device functions are
// told that they were read already: ours take their place.
#pragma once

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif

#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#define __COMMON_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_HPP__
#define __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_HPP__
#define __DEVICE_LAUNCH_PARAMETERS_H__

// The order matters: the vendor's macros, ours, the vendor's types, and what is
// made of them.
// clang-format off
#include "crt/host_config.h"
#include "crt/host_defines.h"
#include "../eclosion/host_library.h"
#include "vector_types.h"
#include "../eclosion/indices.h"
// clang-format on

// Kernels are launched by the host's own code; here a launch is only parsed.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                size_t shared = 0,
                                                void* stream = nullptr);

#include_next <cuda_runtime.h>

#include "device_functions.h"

// The program was made by the vendor's compiler: what it only has for that one
// has to be here as well.
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
