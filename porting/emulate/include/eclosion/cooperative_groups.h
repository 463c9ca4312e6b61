// Cooperative groups of both vendors, in the namespace that both use.
#pragma once

#include "cooperative_groups_partitions.h"
#include "cooperative_groups_types.h"
