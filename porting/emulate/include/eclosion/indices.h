// threadIdx, blockIdx, blockDim and gridDim: read from the calling lane.
//
// The lane is read through another address space, which the compiler does not
// instrument: where a thread stands is no access to memory of the program.
#pragma once

#include "qualifiers.h"

namespace eclosion_device {

using Lane = const ECLOSION_LANE_SPACE eclosion_lane;

__attribute__((device, always_inline, nodebug)) inline Lane* lane() {
  return eclosion_lane_now();
}

ECLOSION_FUNCTION unsigned lane_in_wave() { return lane()->lane; }
ECLOSION_FUNCTION unsigned wave_size() { return lane()->wave_size; }

// Where a thread of the grid stands among all of its block, x fastest.
ECLOSION_FUNCTION unsigned thread_in_block() { return lane()->thread; }

// A variable whose members are read anew at each use. `Vector` is what it is
// converted to: the vendor's three unsigned integers, or its extent.
#define ECLOSION_INDEX(Name, member)                                     \
  struct Name {                                                          \
    __declspec(property(get = get_x)) unsigned x;                        \
    __declspec(property(get = get_y)) unsigned y;                        \
    __declspec(property(get = get_z)) unsigned z;                        \
    ECLOSION_MEMBER unsigned get_x() const { return lane()->member[0]; } \
    ECLOSION_MEMBER unsigned get_y() const { return lane()->member[1]; } \
    ECLOSION_MEMBER unsigned get_z() const { return lane()->member[2]; } \
    ECLOSION_MEMBER operator dim3() const { return dim3(x, y, z); }      \
    ECLOSION_MEMBER operator uint3() const { return uint3{x, y, z}; }    \
  };

ECLOSION_INDEX(ThreadIndex, thread_idx)
ECLOSION_INDEX(BlockIndex, block_idx)
ECLOSION_INDEX(BlockExtent, block_dim)
ECLOSION_INDEX(GridExtent, grid_dim)
#undef ECLOSION_INDEX

}  // namespace eclosion_device

// Empty, so nothing of them is ever in memory.
static const
    __attribute__((device, unused)) eclosion_device::ThreadIndex threadIdx{};
static const
    __attribute__((device, unused)) eclosion_device::BlockIndex blockIdx{};
static const
    __attribute__((device, unused)) eclosion_device::BlockExtent blockDim{};
static const
    __attribute__((device, unused)) eclosion_device::GridExtent gridDim{};
