// CUDA's cooperative groups.
#pragma once

#include "cuda_runtime.h"

#include "eclosion/cooperative_groups.h"
#include "eclosion/cooperative_groups_scan.h"
