// Turns of threads: a lane that has to wait switches straight to the next one
// that can run, so a turn costs one switch.
#include "block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "access_check.h"
#include "config.h"
#include "stack_overflow.h"
#include "wave_findings.h"

namespace eclosion::emulator {
namespace {

std::uint64_t all_lanes(unsigned count) {
  return count >= 64 ? ~0ULL : (1ULL << count) - 1;
}

// The next value of a small generator (xorshift64), for orders of threads.
std::uint64_t advance(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

void tell_no_stack(const std::string& kernel) {
  std::fprintf(stderr,
               "emulator: kernel %s: no mapping is left for the stack of a "
               "thread (%s), so it ends; raise vm.max_map_count, or lower "
               "ECLOSION_EMULATOR_WORKERS, since each has 2048 of them\n",
               kernel.c_str(), std::strerror(errno));
}

}  // namespace

thread_local constinit Current current;

Block::Block(Stacks& stacks) : stacks_(stacks) {}

void Block::begin_launch(GridRun& run) {
  run_ = &run;
  const LaunchRequest& request = run.request();
  wave_size_ = request.kernel->wave_size;
  threads_ = static_cast<unsigned>(request.block.count());
  seed_ = Config::get().seed;
  lanes_.assign(threads_, GpuThread{});
  waves_.assign((threads_ + wave_size_ - 1) / wave_size_, Wave{});
  const Extent& block = request.block;
  for (unsigned number = 0; number < threads_; ++number) {
    GpuThread& lane = lanes_[number];
    lane.thread_idx[0] = number % block.x;
    lane.thread_idx[1] = number / block.x % block.y;
    lane.thread_idx[2] = number / (block.x * block.y);
    const Extent& grid = request.grid;
    std::copy_n(std::array{block.x, block.y, block.z}.data(), 3,
                lane.block_dim);
    std::copy_n(std::array{grid.x, grid.y, grid.z}.data(), 3, lane.grid_dim);
    lane.lane = number % wave_size_;
    lane.wave = number / wave_size_;
    lane.wave_size = wave_size_;
    lane.thread = number;
  }
  shared_.begin_launch(request.dynamic_shared);
}

void Block::begin_block(const Extent& index) {
  for (GpuThread& lane : lanes_) {
    lane.block_idx[0] = index.x;
    lane.block_idx[1] = index.y;
    lane.block_idx[2] = index.z;
    lane.stack = -1;
    lane.wave_epoch = 0;
    lane.polls = 0;
  }
  for (std::size_t number = 0; number < waves_.size(); ++number) {
    const std::size_t left = threads_ - number * wave_size_;
    waves_[number] = Wave{};
    waves_[number].ready = all_lanes(
        static_cast<unsigned>(std::min<std::size_t>(left, wave_size_)));
  }
  free_stacks_.begin(threads_);
  shared_.begin_block();
  wave_ = 0;
  running_ = threads_;
  at_barrier_ = at_grid_ = paused_ = 0;
  barrier_site_ = nullptr;
  begin_epoch();
}

// Accesses from here on are ordered after those so far.
void Block::begin_epoch() {
  if (++epoch_ != SharedShadow::kEpochs) return;
  shared_.forget_accesses();
  epoch_ = 0;
}

std::span<GpuThread> Block::lanes_of(std::size_t wave) noexcept {
  const std::size_t first = wave * wave_size_;
  return std::span(lanes_).subspan(
      first, std::min<std::size_t>(wave_size_, threads_ - first));
}

Block::End Block::run() {
  Current before = current;
  current.block = this;
  current.shared = shared_.base();
  current.stacks = stacks_.base();
  current.stacks_size = stacks_.size();
  current.checks = checks_of(shared_, run_->operation());
  others_had_turn_ = true;
  GpuThread* const first = next();
  void* const entry = first == nullptr ? nullptr : entrance(*first);
  if (entry != nullptr) eclosion_switch_stack(&home_, entry);
  settle_accesses();
  current = before;
  if (running_ == 0 || run_->is_stopped()) return End::kDone;
  return at_grid_ == running_ ? End::kWaitsForGrid : End::kWaitsForOthers;
}

// Those of threads that have begun and not ended.
template <class Visit>
void Block::for_each_stack(Visit visit) {
  for (const GpuThread& lane : lanes_) {
    const std::uint64_t running = waves_[lane.wave].running();
    if (lane.stack < 0 || (running >> lane.lane & 1) == 0) continue;
    auto* const from = static_cast<std::byte*>(lane.stack_pointer);
    visit(from, stacks_.first_frame(lane.stack) -
                    reinterpret_cast<std::uintptr_t>(from));
  }
}

void Block::put_aside() {
  aside_.clear();
  for_each_stack([&](std::byte* from, std::size_t size) {
    aside_.insert(aside_.end(), from, from + size);
  });
}

void Block::take_up() {
  const std::byte* next = aside_.data();
  for_each_stack([&](std::byte* to, std::size_t size) {
    std::memcpy(to, next, size);
    next += size;
  });
}

void Block::pass_grid_barrier() {
  for (Wave& wave : waves_) {
    wave.ready |= wave.at_grid;
    wave.at_grid = 0;
  }
  at_grid_ = 0;
  // It is a barrier of the block too.
  for (GpuThread& lane : lanes_) lane.wave_epoch = 0;
  begin_epoch();
}

// The lane to run next; null: none can, and the worker's own stack goes on.
GpuThread* Block::next() {
  if (run_->is_stopped()) return nullptr;
  for (;;) {
    Wave& wave = waves_[wave_];
    if (wave.ready != 0) return take(wave);
    if (wave.calling != 0 && wave.paused == 0) {
      carry_out_call(wave);
      continue;
    }
    if (!find_wave() && !release()) return nullptr;
  }
}

GpuThread* Block::take(Wave& wave) {
  int lane = std::countr_zero(wave.ready);
  if (seed_ != 0) {
    const int turn = static_cast<int>(advance(seed_) & 63);
    lane = (std::countr_zero(std::rotr(wave.ready, turn)) + turn) & 63;
  }
  wave.ready &= ~(1ULL << lane);
  return &lanes_[wave_ * wave_size_ + static_cast<unsigned>(lane)];
}

// Go to another wave that has something to do.
bool Block::find_wave() {
  for (std::size_t step = 1; step <= waves_.size(); ++step) {
    const std::size_t number = (wave_ + step) % waves_.size();
    const Wave& wave = waves_[number];
    if (wave.ready != 0 || (wave.calling != 0 && wave.paused == 0)) {
      wave_ = number;
      return true;
    }
  }
  return false;
}

// No thread can run: end a barrier or a pause. False: others have to do
// something first, or the block has ended.
bool Block::release() {
  if (paused_ != 0) {
    // Threads that only wait for others get turns between those of other
    // blocks.
    if (!others_had_turn_) return false;
    others_had_turn_ = false;
    for (Wave& wave : waves_) {
      wave.ready |= wave.paused;
      wave.paused = 0;
    }
    paused_ = 0;
    return true;
  }
  if (at_barrier_ == 0) return false;
  release_barrier();
  return true;
}

void Block::carry_out_call(Wave& wave) {
  const std::span<GpuThread> lanes = lanes_of(wave_);
  const WaveGroup group = choose_group(lanes, wave.calling, wave.running());
  if (!group.is_complete) tell_absent(*run_, lanes, group);
  std::uint64_t missing = 0;
  carry_out(lanes, group, &missing);
  if (missing != 0) tell_missing(*run_, lanes, group, missing);
  wave.calling &= ~group.members;
  wave.ready |= group.members;
  const auto first = static_cast<unsigned>(std::countr_zero(group.members));
  if (lanes[first].call.what != ECLOSION_VOTE_SYNC ||
      lanes[first].call.kind != WaveCall::Kind::kVote) {
    return;
  }
  std::uint8_t latest = 0;
  for_each_lane(group.members, [&](unsigned lane) {
    latest = std::max(latest, lanes[lane].wave_epoch);
  });
  if (latest < 255) ++latest;
  for_each_lane(group.members,
                [&](unsigned lane) { lanes[lane].wave_epoch = latest; });
}

void Block::release_barrier() {
  if (running_ != threads_ || at_barrier_ != running_) {
    tell_left_out(*run_, *barrier_first_, threads_ - running_,
                  running_ - at_barrier_);
  }
  int count = 0;
  for (std::size_t number = 0; number < waves_.size(); ++number) {
    for_each_lane(waves_[number].at_barrier, [&](unsigned lane) {
      count += lanes_of(number)[lane].predicate != 0 ? 1 : 0;
    });
  }
  const int arrived = static_cast<int>(at_barrier_);
  const int result = barrier_vote_ == ECLOSION_BLOCK_COUNT ? count
                     : barrier_vote_ == ECLOSION_BLOCK_AND
                         ? static_cast<int>(count == arrived)
                         : static_cast<int>(count != 0);
  for (std::size_t number = 0; number < waves_.size(); ++number) {
    Wave& wave = waves_[number];
    for_each_lane(wave.at_barrier, [&](unsigned lane) {
      lanes_of(number)[lane].result = static_cast<std::uint64_t>(result);
      lanes_of(number)[lane].wave_epoch = 0;
    });
    wave.ready |= wave.at_barrier;
    wave.at_barrier = 0;
  }
  at_barrier_ = 0;
  barrier_site_ = nullptr;
  begin_epoch();
}

int Block::wait_at_barrier(int vote, int predicate, const void* site) {
  need_stack();
  GpuThread& self = *current.lane;
  if (at_barrier_ == 0) {
    barrier_site_ = site;
    barrier_first_ = &self;
    barrier_vote_ = vote;
  } else if (barrier_site_ != site) {
    tell_divergence(*run_, *barrier_first_, barrier_site_, self, site);
  }
  self.predicate = predicate;
  self.barrier_site = site;
  waves_[self.wave].at_barrier |= 1ULL << self.lane;
  ++at_barrier_;
  leave(self);
  return static_cast<int>(self.result);
}

std::uint64_t Block::wait_for_wave(const WaveCall& call) {
  GpuThread& self = *current.lane;
  self.call = call;
  waves_[self.wave].calling |= 1ULL << self.lane;
  leave(self);
  return self.result;
}

void Block::wait_for_grid(const void* site) {
  GpuThread& self = *current.lane;
  self.barrier_site = site;
  waves_[self.wave].at_grid |= 1ULL << self.lane;
  ++at_grid_;
  leave(self);
}

void Block::pause() {
  GpuThread& self = *current.lane;
  self.polls = 0;
  waves_[self.wave].paused |= 1ULL << self.lane;
  ++paused_;
  leave(self);
}

void Block::stop(Status failure) {
  run_->stop(failure);
  void* never = nullptr;
  eclosion_switch_stack(&never, home_);
  __builtin_unreachable();
}

// Where to switch to for a lane to go on. Null: there is no stack for it, and
// the kernel has been stopped.
void* Block::entrance(GpuThread& lane) {
  if (lane.stack < 0) {
    const unsigned stack = free_stacks_.take();
    if (!stacks_.guard(stack)) {
      tell_no_stack(run_->request().kernel->name);
      run_->stop(Status::kOutOfMemory);
      return nullptr;
    }
    lane.stack = static_cast<int>(stack);
    lane.stack_pointer = stacks_.prepare(stack, &Block::carry);
  }
  make_current(lane);
  return lane.stack_pointer;
}

// Where to switch to; without another lane, or a stack for it, the worker's
// own.
void* Block::way_on(GpuThread* other) {
  void* const entry = other == nullptr ? nullptr : entrance(*other);
  return entry == nullptr ? home_ : entry;
}

void Block::make_current(GpuThread& lane) {
  current.lane = &lane;
  current.checks.author =
      Author::of(lane.thread, lane.wave_size, epoch_, lane.wave_epoch);
}

void Block::leave(GpuThread& self) {
  need_stack();
  GpuThread* other = next();
  if (other == &self) return make_current(self);
  eclosion_switch_stack(&self.stack_pointer, way_on(other));
}

void Block::finish(GpuThread& lane) {
  waves_[lane.wave].done |= 1ULL << lane.lane;
  --running_;
}

// A stack's threads: the next one that has not begun runs on the stack of one
// that has ended, so a kernel without barriers needs one.
void Block::carry() {
  for (;;) {
    Block& block = *current.block;
    GpuThread& self = *current.lane;
    block.run_->call_entry();
    block.finish(self);
    GpuThread* other = block.next();
    if (other != nullptr && other->stack < 0) {
      other->stack = self.stack;
      block.make_current(*other);
      continue;
    }
    block.free_stacks_.give_back(static_cast<unsigned>(self.stack));
    void* never = nullptr;
    eclosion_switch_stack(&never, block.way_on(other));
  }
}

}  // namespace eclosion::emulator
