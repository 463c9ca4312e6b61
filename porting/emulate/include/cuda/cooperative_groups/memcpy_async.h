// CUDA's copies by a cooperative group.
#pragma once

#include "../cooperative_groups.h"

#include "eclosion/cooperative_groups_async.h"
