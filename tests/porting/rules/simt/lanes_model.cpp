// Runs ported lane mask functions on simulated wavefronts of 32 and 64 lanes, and
// compares them with what their names say of the voters and the calling lane.
#include "../../headers/simt/wavefront.h"

#include <climits>
#include <cstdio>
#include <random>

#define __global__
#define __host__
#define __forceinline__ inline

struct Index {
  unsigned x, y, z;
};
inline int warpSize = 64;
#define threadIdx (Index{static_cast<unsigned>(simt::current), 0, 0})
constexpr Index blockDim{64, 1, 1};

#define __ballot(vote) __ballot64(vote)
inline int __popcll(unsigned long long bits) {
  return __builtin_popcountll(bits);
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffsll(unsigned long long bits) { return __builtin_ffsll(bits); }
inline int __clzll(unsigned long long bits) {
  return bits == 0 ? 64 : __builtin_clzll(bits);
}
inline int __shfl(int value, int lane) {
  return __builtin_amdgcn_ds_bpermute(lane * 4, value);
}
inline unsigned long long __match_any(int value) {
  unsigned long long same = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    const bool equal = __shfl(value, lane) == value;
    same |= static_cast<unsigned long long>(equal) << lane;
  }
  return same & __ballot(1);
}
inline int atomicAdd(int* at, int value) {
  const int before = *at;
  *at += value;
  return before;
}

#include "ported.h"

namespace {

struct Case {
  const char* name;
  int (*count)(bool);
  // Which voters are counted, by the difference of their lane to the caller's.
  bool (*counts)(int);
};

bool below(int distance) { return distance < 0; }
bool upto(int distance) { return distance <= 0; }
bool above(int distance) { return distance > 0; }
bool from(int distance) { return distance >= 0; }
bool self(int distance) { return distance == 0; }
bool others(int distance) { return distance != 0; }

const Case kCases[] = {
#include "cases.h"
};

int failures = 0;

void check(const Case& one, int width, unsigned long long votes,
           unsigned long long present) {
  bool is_right = true;
  simt::run(width, [&](int lane) {
    if (!(present >> lane & 1)) return;
    const int found = one.count(votes >> lane & 1);
    int expected = 0;
    for (int other = 0; other < width; ++other) {
      const bool is_voter = (votes & present) >> other & 1;
      expected += is_voter && one.counts(other - lane);
    }
    is_right = is_right && found == expected;
  });
  if (is_right) return;
  ++failures;
  std::printf("%s: wrong in a wavefront of %d lanes\n", one.name, width);
}

}  // namespace

int main() {
  std::mt19937_64 random(20261129);
  for (const Case& one : kCases) {
    for (int width : {64, 32}) {
      warpSize = width;
      const unsigned long long everyone = ~0ull >> (64 - width);
      check(one, width, everyone, everyone);
      for (int round = 0; round < 4; ++round) {
        check(one, width, random() & everyone, everyone);
        check(one, width, random() & everyone, random() & everyone);
      }
    }
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
