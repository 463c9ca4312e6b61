// Runs a grid on the processor: a fiber (ucontext) per GPU thread, one block
// after another, and what device code calls to wait and to exchange values.
#include "fibers.h"

#include <ucontext.h>

#include <cstddef>
#include <vector>

namespace proof {
namespace {

enum class State { kReady, kDone, kAtBarrier, kAtExchange };

struct Fiber {
  ucontext_t context;
  Thread thread;
  State state;
  uint64_t value;
  bool vote;
  unsigned warp;
};

constexpr size_t kStack = 64 * 1024;

std::vector<Fiber> fibers;
std::vector<char> stacks;
int current;
ucontext_t scheduler;
Kernel running;
void** given;

void enter() {
  running(given);
  fibers[current].state = State::kDone;
  swapcontext(&fibers[current].context, &scheduler);
}

void wait(State state) {
  fibers[current].state = state;
  swapcontext(&fibers[current].context, &scheduler);
}

void start_block(Extent grid, Extent size, Extent block) {
  for (unsigned i = 0; i < fibers.size(); i++) {
    Fiber& fiber = fibers[i];
    Extent thread{i % size.x, (i / size.x) % size.y, i / (size.x * size.y)};
    fiber.thread = {thread, block, size, grid, i % kWave};
    fiber.state = State::kReady;
    fiber.vote = false;
    fiber.warp = i / kWave;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = &stacks[i * kStack];
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = &scheduler;
    makecontext(&fiber.context, enter, 0);
  }
}

bool run_ready() {
  bool any = false;
  for (unsigned i = 0; i < fibers.size(); i++) {
    if (fibers[i].state != State::kReady) continue;
    current = static_cast<int>(i);
    swapcontext(&scheduler, &fibers[i].context);
    any = true;
  }
  return any;
}

// Lets the warps go on whose threads have all come to an exchange or ended.
bool release_warps() {
  bool any = false;
  for (size_t first = 0; first < fibers.size(); first += kWave) {
    size_t last = first + kWave < fibers.size() ? first + kWave : fibers.size();
    bool waits = false, all = true;
    for (size_t i = first; i < last; i++) {
      if (fibers[i].state == State::kAtExchange)
        waits = true;
      else if (fibers[i].state != State::kDone)
        all = false;
    }
    if (!waits || !all) continue;
    for (size_t i = first; i < last; i++)
      if (fibers[i].state == State::kAtExchange)
        fibers[i].state = State::kReady;
    any = true;
  }
  return any;
}

bool run_block() {
  for (;;) {
    bool ran = run_ready();
    if (release_warps()) continue;
    bool at_barrier = false, elsewhere = false;
    for (const Fiber& fiber : fibers) {
      if (fiber.state == State::kAtBarrier)
        at_barrier = true;
      else if (fiber.state != State::kDone)
        elsewhere = true;
    }
    if (!at_barrier && !elsewhere) return true;
    if (at_barrier && !elsewhere) {
      for (Fiber& fiber : fibers)
        if (fiber.state == State::kAtBarrier) fiber.state = State::kReady;
    } else if (!ran) {
      return false;
    }
  }
}

}  // namespace

bool run_grid(Kernel kernel, void** arguments, Extent grid, Extent block) {
  running = kernel;
  given = arguments;
  unsigned threads = block.x * block.y * block.z;
  fibers.assign(threads, Fiber());
  if (stacks.size() < threads * kStack) stacks.resize(threads * kStack);
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      for (unsigned x = 0; x < grid.x; x++) {
        start_block(grid, block, {x, y, z});
        if (!run_block()) return false;
      }
  return true;
}

}  // namespace proof

extern "C" {

proof::Thread* proof_thread() { return &proof::fibers[proof::current].thread; }

void proof_barrier() { proof::wait(proof::State::kAtBarrier); }

// Returns what the lane `source` of the warp gave; the second wait keeps a fast
// lane's next value from being taken for this one's.
uint64_t proof_exchange(uint64_t value, int source) {
  proof::Fiber& self = proof::fibers[proof::current];
  self.value = value;
  proof::wait(proof::State::kAtExchange);
  size_t other = self.warp * proof::kWave + source;
  uint64_t result =
      other < proof::fibers.size() ? proof::fibers[other].value : value;
  proof::wait(proof::State::kAtExchange);
  return result;
}

uint64_t proof_ballot(int vote) {
  proof::Fiber& self = proof::fibers[proof::current];
  self.vote = vote != 0;
  proof::wait(proof::State::kAtExchange);
  uint64_t result = 0;
  size_t first = self.warp * proof::kWave;
  for (int lane = 0; lane < proof::kWave; lane++) {
    if (first + lane >= proof::fibers.size()) break;
    const proof::Fiber& fiber = proof::fibers[first + lane];
    if (fiber.state != proof::State::kDone && fiber.vote)
      result |= uint64_t{1} << lane;
  }
  proof::wait(proof::State::kAtExchange);
  self.vote = false;
  return result;
}
}
