// What most files of this folder read, parsed once for all of them by
// libraries.py. Each file includes what it uses all the same.
#pragma once

#include <hip/hip_runtime_api.h>

#include "../core/precompiled.h"
