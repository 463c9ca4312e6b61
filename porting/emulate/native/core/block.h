// A block of a grid on one worker: its threads take turns, as their barriers
// and the calls of their waves allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "access_check.h"
#include "fiber.h"
#include "grid_run.h"
#include "lane.h"
#include "shared_segment.h"
#include "wave.h"

namespace eclosion::emulator {

class Block {
 public:
  enum class End { kDone, kWaitsForGrid, kWaitsForOthers };

  static constexpr unsigned kMostThreads = 1024;

  // `stacks`: what its threads run on; those of kMostThreads.
  explicit Block(Stacks& stacks);

  // The threads of a launch; each block of it then begins with begin_block().
  void begin_launch(GridRun& run);
  void begin_block(const Extent& index);
  // Run until the block has ended or waits for other blocks.
  End run();
  // Blocks that wait for each other have the same stacks in turn: keep what the
  // threads have on theirs, and put it back where it was.
  void put_aside();
  void take_up();
  // Let the threads that wait for the grid go on.
  void pass_grid_barrier();

  // What lanes ask for, on their own stacks.
  int wait_at_barrier(int vote, int predicate, const void* site);
  std::uint64_t wait_for_wave(const WaveCall& call);
  void wait_for_grid(const void* site);
  void pause();
  [[noreturn]] void stop(Status failure);

  GridRun& grid() noexcept { return *run_; }
  SharedSegment& shared() noexcept { return shared_; }
  const Stacks& stacks() const noexcept { return stacks_; }

 private:
  // Threads of a wave, by what they do; a lane is in one of these.
  struct Wave {
    std::uint64_t ready = 0;
    std::uint64_t paused = 0;
    std::uint64_t calling = 0;
    std::uint64_t at_barrier = 0;
    std::uint64_t at_grid = 0;
    std::uint64_t done = 0;
    std::uint64_t running() const noexcept {
      return ready | paused | calling | at_barrier | at_grid;
    }
  };

  static void carry();  // the body of a stack
  GpuThread* next();
  GpuThread* take(Wave& wave);
  bool find_wave();
  bool release();
  void carry_out_call(Wave& wave);
  void release_barrier();
  void leave(GpuThread& self);
  void* entrance(GpuThread& lane);
  void* way_on(GpuThread* other);
  template <class Visit>
  void for_each_stack(Visit visit);
  void make_current(GpuThread& lane);
  void begin_epoch();
  void finish(GpuThread& lane);
  std::span<GpuThread> lanes_of(std::size_t wave) noexcept;

  Stacks& stacks_;
  FreeStacks free_stacks_;
  std::vector<std::byte> aside_;
  SharedSegment shared_;
  std::vector<GpuThread> lanes_;
  std::vector<Wave> waves_;
  GridRun* run_ = nullptr;
  void* home_ = nullptr;  // the worker's own stack
  std::size_t wave_ = 0;
  unsigned wave_size_ = 32;
  unsigned threads_ = 0;
  unsigned running_ = 0;
  unsigned at_barrier_ = 0;
  unsigned at_grid_ = 0;
  unsigned paused_ = 0;
  int barrier_vote_ = 0;
  const void* barrier_site_ = nullptr;
  const GpuThread* barrier_first_ = nullptr;
  std::uint16_t epoch_ = 0;
  bool others_had_turn_ = false;
  std::uint64_t seed_ = 0;
};

// What the calling OS thread runs now. Read by every access of device code.
struct Current {
  GpuThread* lane = nullptr;
  Block* block = nullptr;
  std::uintptr_t shared = 0;
  std::uintptr_t stacks = 0;
  std::size_t stacks_size = 0;
  Checks checks;
};
extern thread_local constinit Current current;

}  // namespace eclosion::emulator
