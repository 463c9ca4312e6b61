// What a program did wrong, told once per place: to stderr and to the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eclosion::emulator {

enum class Kind {
  kOutOfBounds,
  kUseAfterFree,
  kHostMemory,  // device code reaches memory that only the host has
  kSharedRace,
  kDivergentBarrier,
  kInactiveLane,
  kStreamRace,
  kHostRace,  // the host touches what a stream still works on
  kAssertion,
  kTrap,
  kStackOverflow,
  kBadFree,
  kLeak,
  kMisaligned,
  kNoCode,  // no sidecar has what the program uses
};

// Where device code or the host was. `address`: a return address in a sidecar
// or in the program.
struct Place {
  const void* address = nullptr;
  std::string label;  // "written by thread (3, 0, 0) of block (0, 0, 0)"
};

struct Finding {
  Kind kind;
  std::string text;    // what happened, with the values
  std::string kernel;  // empty: not in a kernel
  Place at;
  std::vector<Place> also;  // the other access, the free, the other barrier
};

// Tell a finding, unless one of its kind was told of that place. Any thread.
void tell(const Finding& finding);

// The code of a kind, as `porting explain` knows it: "EMU001".
const char* code_of(Kind kind);

// Number of findings so far.
std::uint64_t told();

}  // namespace eclosion::emulator
