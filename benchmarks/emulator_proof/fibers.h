// Runs a grid on the processor: a fiber per GPU thread, one block after
// another.
#pragma once

#include <cstdint>

namespace proof {

constexpr int kWave = 32;

struct Extent {
  unsigned x, y, z;
};

// What device code reads of its thread; include/cuda_runtime.h has it too.
struct Thread {
  Extent thread, block, block_size, grid_size;
  unsigned lane;
};

// A kernel behind the entry that device_code.py wrote for it.
using Kernel = void (*)(void** arguments);

// Runs all blocks; false when the threads of one wait for different things, and
// would forever.
bool run_grid(Kernel kernel, void** arguments, Extent grid, Extent block);

}  // namespace proof
