// A wavefront on the CPU: lanes are fibers that meet at wavefront operations.
//
// A lane runs until it needs the others. When every lane waits or has ended,
// the lanes at the place that comes first in the program go on together: what
// waits behind a branch or a loop waits for those still inside, which is how a
// GPU with one program counter per wavefront reconverges. A place is the chain
// of return addresses, so the program must be built without optimization.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#define __device__ __attribute__((noinline))

namespace simt {

constexpr int kPoison = 0x5ee00bad;  // what an inactive lane's register holds

enum class Kind { kBallot, kPermute, kFirst };

struct Lane {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(256 * 1024);
  bool ended = false;
  Kind kind = Kind::kBallot;
  int value = 0;
  int index = 0;
  std::uint64_t result = 0;
  std::vector<std::uintptr_t> place;  // outermost call first
};

inline std::vector<Lane> lanes;
inline ucontext_t scheduler;
inline int current = 0;
inline std::function<void(int)> program;

inline void entry() {
  program(current);
  lanes[current].ended = true;
  swapcontext(&lanes[current].context, &scheduler);
}

// The return addresses of the lane's frames, found by their frame pointers.
inline void remember_place(Lane& lane) {
  lane.place.clear();
  const char* low = lane.stack.data();
  const char* high = low + lane.stack.size();
  auto** frame = static_cast<void**>(__builtin_frame_address(0));
  while (reinterpret_cast<char*>(frame) >= low &&
         reinterpret_cast<char*>(frame + 2) <= high && frame[1] != nullptr) {
    lane.place.insert(lane.place.begin(),
                      reinterpret_cast<std::uintptr_t>(frame[1]));
    frame = static_cast<void**>(frame[0]);
  }
}

__attribute__((noinline)) inline std::uint64_t meet(Kind kind, int value,
                                                    int index) {
  Lane& lane = lanes[current];
  lane.kind = kind;
  lane.value = value;
  lane.index = index;
  remember_place(lane);
  swapcontext(&lane.context, &scheduler);
  return lanes[current].result;
}

inline void perform(const std::vector<int>& active) {
  const Kind kind = lanes[active[0]].kind;
  std::uint64_t votes = 0;
  for (int number : active) {
    if (lanes[number].value != 0) votes |= std::uint64_t{1} << number;
  }
  std::vector<int> registers(64, kPoison);
  for (int number : active) registers[number] = lanes[number].value;
  for (int number : active) {
    Lane& lane = lanes[number];
    if (lane.kind != kind) std::abort();
    switch (kind) {
      case Kind::kBallot:
        lane.result = votes;
        break;
      case Kind::kPermute:
        lane.result = static_cast<unsigned>(registers[(lane.index / 4) & 63]);
        break;
      case Kind::kFirst:
        lane.result = static_cast<unsigned>(lanes[active[0]].value);
        break;
    }
  }
}

// Runs `lane_program` on every lane of a wavefront to its end.
inline void run(int width, std::function<void(int)> lane_program) {
  program = std::move(lane_program);
  lanes = std::vector<Lane>(width);
  std::vector<int> ready;
  for (int number = 0; number < width; ++number) {
    Lane& lane = lanes[number];
    getcontext(&lane.context);
    lane.context.uc_stack.ss_sp = lane.stack.data();
    lane.context.uc_stack.ss_size = lane.stack.size();
    makecontext(&lane.context, entry, 0);
    ready.push_back(number);
  }
  while (!ready.empty()) {
    for (int number : ready) {
      current = number;
      swapcontext(&scheduler, &lanes[number].context);
    }
    ready.clear();
    for (int number = 0; number < width; ++number) {
      if (lanes[number].ended) continue;
      if (!ready.empty() && lanes[number].place > lanes[ready[0]].place) {
        continue;
      }
      if (!ready.empty() && lanes[number].place < lanes[ready[0]].place) {
        ready.clear();
      }
      ready.push_back(number);
    }
    if (!ready.empty()) perform(ready);
  }
}

}  // namespace simt

inline unsigned __lane_id() { return static_cast<unsigned>(simt::current); }

__attribute__((noinline)) inline unsigned long long __ballot64(int vote) {
  return simt::meet(simt::Kind::kBallot, vote, 0);
}

__attribute__((noinline)) inline int __builtin_amdgcn_ds_bpermute(int index,
                                                                  int value) {
  return static_cast<int>(simt::meet(simt::Kind::kPermute, value, index));
}

__attribute__((noinline)) inline int __builtin_amdgcn_readfirstlane(int value) {
  return static_cast<int>(simt::meet(simt::Kind::kFirst, value, 0));
}

inline void __builtin_amdgcn_fence(int, const char*) {}
inline void __builtin_amdgcn_wave_barrier() {}
