// Grids: their limits, and the workers that run their blocks.
#include "launch.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "block.h"
#include "grid_run.h"
#include "host_faults.h"
#include "injection.h"
#include "scheduler.h"
#include "stack_overflow.h"

namespace eclosion::emulator {
namespace {

// Blocks that a worker takes at once: few enough that all end together.
std::uint64_t share_of(std::uint64_t blocks) {
  return std::clamp<std::uint64_t>(
      blocks / (8 * Scheduler::get().worker_limit()), 1, 256);
}

// A worker's stacks and its block, which are made once for all launches.
Stacks& own_stacks() {
  thread_local Stacks stacks(Block::kMostThreads);
  return stacks;
}

Block& own_block() {
  thread_local Block block(own_stacks());
  return block;
}

void run_blocks(GridRun& run, std::uint64_t most) {
  make_handler_stack();
  Block& block = own_block();
  block.begin_launch(run);
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  while (run.take(most, &first, &end)) {
    for (; first < end && !run.is_stopped(); ++first) {
      block.begin_block(run.block_index(first));
      while (block.run() == Block::End::kWaitsForOthers) {
        std::this_thread::yield();
      }
    }
  }
}

// All blocks at once, since they wait for each other. One runs at a time, so
// one set of stacks is enough.
void run_together(GridRun& run) {
  make_handler_stack();
  const std::uint64_t count = run.request().grid.count();
  std::vector<std::unique_ptr<Block>> blocks;
  for (std::uint64_t number = 0; number < count; ++number) {
    blocks.push_back(std::make_unique<Block>(own_stacks()));
    blocks.back()->begin_launch(run);
    blocks.back()->begin_block(run.block_index(number));
  }
  for (std::size_t waiting = count; waiting != 0 && !run.is_stopped();) {
    std::size_t at_grid = 0;
    waiting = 0;
    for (auto& block : blocks) {
      if (!block) continue;
      block->take_up();
      switch (block->run()) {
        case Block::End::kDone:
          block.reset();
          continue;
        case Block::End::kWaitsForGrid:
          ++at_grid;
          break;
        case Block::End::kWaitsForOthers:
          break;
      }
      block->put_aside();
      ++waiting;
    }
    if (at_grid != waiting) continue;
    for (auto& block : blocks) {
      if (block) block->pass_grid_barrier();
    }
  }
}

// Nothing may be thrown at the scheduler's other threads.
void run_part(GridRun& run, const std::function<void()>& part) {
  try {
    part();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "emulator: kernel %s: this machine has no memory or mapping "
                 "left for its blocks, so it ends; give it more, or let the "
                 "kernel have fewer or smaller blocks\n",
                 run.request().kernel->name.c_str());
    run.stop(Status::kOutOfMemory);
  }
}

// What a launch ends with instead of running.
std::optional<Status> injected_end(const LaunchRequest& request) {
  const std::string& kernel = request.kernel->name;
  const std::optional<int> code = injected_in_kernel(kernel);
  if (!code) return std::nullopt;
  const std::optional<Status> status = request.status_of(*code);
  if (!status || *status == Status::kNotReady) refuse_injected(kernel, *code);
  return status;
}

bool is_within(const Extent& wanted, const Extent& limit) {
  return wanted.x <= limit.x && wanted.y <= limit.y && wanted.z <= limit.z;
}

}  // namespace

GridRun::GridRun(const LaunchRequest& request, Parameters& parameters,
                 const Operation& operation)
    : request_(request),
      parameters_(parameters),
      operation_(operation),
      blocks_(request.grid.count()) {}

void GridRun::call_entry() const {
  request_.kernel->record->entry(parameters_.pointers());
}

void GridRun::stop(Status failure) noexcept {
  Status none = Status::kSuccess;
  failure_.compare_exchange_strong(none, failure);
}

bool GridRun::take(std::uint64_t most, std::uint64_t* first,
                   std::uint64_t* end) {
  *first = next_.fetch_add(most, std::memory_order_relaxed);
  *end = std::min(*first + most, blocks_);
  return *first < blocks_;
}

bool GridRun::has_parameter(std::uintptr_t address) const noexcept {
  return parameters_.has(address);
}

Extent GridRun::block_index(std::uint64_t number) const noexcept {
  const Extent& grid = request_.grid;
  return {static_cast<unsigned>(number % grid.x),
          static_cast<unsigned>(number / grid.x % grid.y),
          static_cast<unsigned>(number / grid.x / grid.y)};
}

Status check_launch(const LaunchRequest& request, const LaunchLimits& limits) {
  const std::uint64_t threads = request.block.count();
  if (threads == 0 || request.grid.count() == 0 ||
      threads > limits.threads_per_block ||
      !is_within(request.block, limits.block) ||
      !is_within(request.grid, limits.grid)) {
    return Status::kInvalidConfiguration;
  }
  const std::size_t allowed =
      std::max(limits.shared_bytes, request.kernel->dynamic_shared_limit);
  if (request.dynamic_shared > allowed) return Status::kInvalidValue;
  return Status::kSuccess;
}

Status run_grid(const LaunchRequest& request, Parameters& parameters,
                const Operation& operation) {
  if (const auto injected = injected_end(request)) return *injected;
  watch_host_faults();
  GridRun run(request, parameters, operation);
  if (request.cooperative) {
    run_part(run, [&] { run_together(run); });
  } else {
    const std::uint64_t most = share_of(request.grid.count());
    const std::uint64_t parts = (request.grid.count() + most - 1) / most;
    const auto workers = static_cast<unsigned>(
        std::min<std::uint64_t>(parts, Scheduler::get().worker_limit()));
    Scheduler::get().share(workers, [&](unsigned) {
      run_part(run, [&] { run_blocks(run, most); });
    });
  }
  return run.failure();
}

}  // namespace eclosion::emulator
