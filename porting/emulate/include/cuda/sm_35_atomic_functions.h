// The atomic functions, which every unit has from its start.
#pragma once

#include "atomic_functions.h"
