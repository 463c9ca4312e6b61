// What the lanes of a wave compute together; pure.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "lane.h"

namespace eclosion::emulator {

// Lanes of one wave that carry out one call together: one each of the mask.
struct WaveGroup {
  std::uint64_t members = 0;
  // Named in the call's mask and still running, but not here.
  std::uint64_t absent = 0;
  bool is_complete = true;
};

// Choose the lanes that go on. `lanes`: of the wave, by lane; `waiting`: those
// that wait in a call; `running`: those that have not ended. Where lanes wait
// at several places, those that are deepest in calls and lowest in the code go
// first, as hardware that lets lanes meet again does.
WaveGroup choose_group(std::span<const GpuThread> lanes, std::uint64_t waiting,
                       std::uint64_t running);

// Where a shuffle reads from: the rule of both vendors' headers.
unsigned shuffle_source(int kind, unsigned lane, int argument, int width);

// Set the results of a group's lanes. `missing`: gets the lanes that read from
// one that is not in the group; their result is 0.
void carry_out(std::span<GpuThread> lanes, const WaveGroup& group,
               std::uint64_t* missing);

// Call for each set bit.
template <typename Function>
void for_each_lane(std::uint64_t mask, Function function) {
  for (; mask != 0; mask &= mask - 1) {
    function(static_cast<unsigned>(std::countr_zero(mask)));
  }
}

}  // namespace eclosion::emulator
