// A GPU thread: where it stands, and what it waits for.
#pragma once

#include <cstdint>

#include "eclosion/device_abi.h"

namespace eclosion::emulator {

// What lanes of a wave do together; what they wait for.
struct WaveCall {
  enum class Kind : std::uint8_t { kShuffle, kVote };
  Kind kind;
  int what;  // eclosion_shuffle or eclosion_vote
  int argument;
  int width;
  std::uint64_t value;
  std::uint64_t mask;
  const void* site;
  std::uintptr_t frame;  // deeper calls have lower ones
};

struct GpuThread : eclosion_lane {
  void* stack_pointer;
  int stack;  // -1: none
  // What the lane waits for, and what it got.
  WaveCall call;
  std::uint64_t result;
  const void* barrier_site;
  int predicate;
  // Counts of the last barrier among lanes that this one took part in; for
  // races on shared memory.
  std::uint8_t wave_epoch;
  // Accesses since the lane last let others run, of the kind one waits by.
  std::uint16_t polls;
};

}  // namespace eclosion::emulator
