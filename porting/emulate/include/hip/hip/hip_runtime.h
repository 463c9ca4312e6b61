// HIP's main header for the emulator: the vendor's types and host interface,
// and our device functions in the place of those that only its devices have.
#pragma once

#include "eclosion/hip_prelude.h"

// Everything that the vendor's header of this name brings from the C++ library.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iosfwd>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eclosion/hip_vendor_guards.h"

// clang-format off
#include <hip/amd_detail/amd_hip_common.h>
#include "eclosion/hip_vendor_begin.inc"
#include <hip/amd_detail/hip_ldg.h>
#include <hip/hip_vector_types.h>
#include "eclosion/hip_vendor_end.inc"
#include <hip/hip_runtime_api.h>
#include <hip/library_types.h>
// clang-format on

#include "eclosion/barriers.h"
#include "eclosion/choices.h"
#include "eclosion/conversions.h"
#include "eclosion/fast_math.h"
#include "eclosion/hip_atomics.h"
#include "eclosion/hip_builtins.h"
#include "eclosion/hip_builtins_math.h"
#include "eclosion/hip_clocks.h"
#include "eclosion/hip_dot.h"
#include "eclosion/hip_integers.h"
#include "eclosion/hip_launch.h"
#include "eclosion/hip_ocml.h"
#include "eclosion/hip_ocml_half.h"
#include "eclosion/hip_permutes.h"
#include "eclosion/hip_wave.h"
#include "eclosion/hip_wave_sync.h"
#include "eclosion/indices.h"
#include "eclosion/integers.h"
#include "eclosion/rounded_names.h"
#include "eclosion/special_functions.h"
