// CUDA's reduce() of a cooperative group.
#pragma once

#include "../cooperative_groups.h"

#include "eclosion/cooperative_groups_reduce.h"
