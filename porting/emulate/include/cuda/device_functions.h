// The device functions of CUDA that need no header of their own.
#pragma once

#include "../eclosion/barriers.h"
#include "../eclosion/choices.h"
#include "../eclosion/conversions.h"
#include "../eclosion/fast_math.h"
#include "../eclosion/integers.h"
#include "../eclosion/rounded_names.h"
#include "../eclosion/special_functions.h"
#include "../eclosion/words.h"
#include "atomic_functions.h"
#include "memory_access.h"
#include "pair_functions.h"
#include "warp_functions.h"
#include "word_functions.h"
