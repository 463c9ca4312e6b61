// Findings on threads that do not come where others wait.
#pragma once

#include <cstdint>
#include <span>

#include "grid_run.h"
#include "lane.h"
#include "wave.h"

namespace eclosion::emulator {

// Lanes named in a mask that wait elsewhere or are not in the call.
void tell_absent(const GridRun& run, std::span<const GpuThread> lanes,
                 const WaveGroup& group);
// Lanes that read from one that does not take part.
void tell_missing(const GridRun& run, std::span<const GpuThread> lanes,
                  const WaveGroup& group, std::uint64_t missing);
// Threads of one block at two barriers.
void tell_divergence(const GridRun& run, const GpuThread& first,
                     const void* first_site, const GpuThread& second,
                     const void* second_site);
// Threads that ended, or wait for something else, while others are at a
// barrier.
void tell_left_out(const GridRun& run, const GpuThread& waiting, unsigned ended,
                   unsigned elsewhere);

// "thread (1, 0, 0) of block (0, 0, 0)"
std::string describe(const GpuThread& lane);

}  // namespace eclosion::emulator
