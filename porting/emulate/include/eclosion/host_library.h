// The parts of the C library that device code may use, before and after its
// headers: memory, printf, assert, the heap and the functions of <math.h>.
//
// The library's functions are the host's, which device code cannot call. Each
// that both vendors have in device code gets a twin for the device, declared
// before the standard library's headers take the names over into std.
#pragma once

#include "qualifiers.h"

// clang-format off
// The C headers alone, without what the C++ library adds to them.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "device_library.h"
#include "libm.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <math.h>
#include <stdlib.h>
// clang-format on
