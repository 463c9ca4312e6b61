// Mathematical functions, which every unit has from its start.
#pragma once

#include "device_functions.h"
