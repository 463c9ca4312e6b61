// CUDA's scans over a cooperative group.
#pragma once

#include "../cooperative_groups.h"
