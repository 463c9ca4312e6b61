// The order of operations: who waits for whom, and what is done.
#include "scheduler.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <unordered_set>

#include "config.h"
#include "scheduler_state.h"
#include "stream.h"

namespace eclosion::emulator {

namespace {

// Independent kernels of four streams have to run at once on any machine:
// programs wait in one for another.
constexpr unsigned kLeastThreads = 4;

std::atomic<pid_t> owner{0};

}  // namespace

bool is_forked_child() noexcept {
  const pid_t process = owner.load(std::memory_order_relaxed);
  return process != 0 && process != getpid();
}

Scheduler& Scheduler::get() {
  static auto* scheduler = new Scheduler;
  return *scheduler;
}

Scheduler::Scheduler() : state_(new State) {
  owner.store(getpid(), std::memory_order_relaxed);
  const Config& config = Config::get();
  state_->processors = config.workers != 0
                           ? config.workers
                           : std::max(1U, std::thread::hardware_concurrency());
  state_->threads = std::max(kLeastThreads, state_->processors);
  state_->delay = std::chrono::microseconds(config.delay_us);
}

// One more than there are workers: a thread that is none of them.
unsigned Scheduler::worker_limit() const noexcept {
  return state_->threads + 1;
}

void Scheduler::submit(const OperationRef& operation,
                       std::span<const OperationRef> after) {
  if (is_forked_child()) return;
  State& state = *state_;
  const std::scoped_lock guard(state.lock);
  if (!state.are_threads_started) state.start_threads();
  if (state.delay.count() != 0)
    operation->not_before_ = Operation::Clock::now() + state.delay;
  for (const OperationRef& one : after) {
    if (!one || one->is_done()) continue;
    one->followers_.push_back(operation);
    operation->after_.push_back(one);
  }
  operation->waiting_for_ = operation->after_.size();
  if (operation->waiting_for_ == 0 && state.release(operation))
    state.finish(operation, device_failure(operation->device()));
}

void Scheduler::wait(const OperationRef& operation) {
  if (!operation || operation->is_done() || is_forked_child()) return;
  State& state = *state_;
  std::unique_lock guard(state.lock);
  operation->is_waited_for_ = true;
  state.hurry(operation);
  state.done.wait(guard, [&] { return operation->is_done(); });
}

bool Scheduler::wait_for(const OperationRef& operation,
                         Operation::Clock::duration most) {
  if (!operation || operation->is_done() || is_forked_child()) return true;
  State& state = *state_;
  std::unique_lock guard(state.lock);
  operation->is_waited_for_ = true;
  state.hurry(operation);
  return state.done.wait_for(guard, most, [&] { return operation->is_done(); });
}

bool Scheduler::waits_for_host(const OperationRef& operation) {
  const std::scoped_lock guard(state_->lock);
  std::vector<OperationRef> left{operation};
  std::unordered_set<const Operation*> seen;
  while (!left.empty()) {
    const OperationRef one = std::move(left.back());
    left.pop_back();
    if (one->is_done() || !seen.insert(one.get()).second) continue;
    if (one->traits_.lane != Lane::kWorker) return true;
    left.insert(left.end(), one->after_.begin(), one->after_.end());
  }
  return false;
}

bool Scheduler::State::release(const OperationRef& operation) {
  if (!operation->body_) return true;
  if (operation->not_before_ > Operation::Clock::now() &&
      !operation->is_hurried_) {
    delayed.push_back(operation);
    work.notify_one();  // which then waits for this one's time
    return false;
  }
  enqueue(operation);
  return false;
}

void Scheduler::State::enqueue(const OperationRef& operation) {
  switch (operation->traits_.lane) {
    case Lane::kHost:
      host_ready.push_back(operation);
      return host_work.notify_one();
    case Lane::kWatch:
      watched.push_back(operation);
      return watch_work.notify_one();
    case Lane::kWorker:
      ready[operation->traits_.priority].push_back(operation);
      if (idle != 0) work.notify_one();
  }
}

// Finishing one may finish those after it that have nothing to run, in a loop:
// a stream may have thousands of them in a row.
void Scheduler::State::finish(const OperationRef& operation, Status status) {
  bool is_waited_for = false;
  operation->status_ = status;
  std::vector<OperationRef> finished{operation};
  while (!finished.empty()) {
    const OperationRef one = std::move(finished.back());
    finished.pop_back();
    one->finished_ = Operation::Clock::now();
    one->done_.store(true, std::memory_order_release);
    is_waited_for = is_waited_for || one->is_waited_for_;
    const std::vector<OperationRef> followers = std::move(one->followers_);
    one->after_.clear();
    for (const OperationRef& follower : followers) {
      if (--follower->waiting_for_ != 0 || !release(follower)) continue;
      follower->status_ = device_failure(follower->device());
      finished.push_back(follower);
    }
  }
  if (is_waited_for) done.notify_all();
}

// What an operation waits for is wanted as soon as it is.
void Scheduler::State::hurry(const OperationRef& operation) {
  if (delay.count() == 0) return;
  std::vector<OperationRef> wanted{operation};
  while (!wanted.empty()) {
    const OperationRef one = std::move(wanted.back());
    wanted.pop_back();
    if (one->is_hurried_) continue;
    one->is_hurried_ = true;
    if (std::erase(delayed, one) != 0) enqueue(one);
    wanted.insert(wanted.end(), one->after_.begin(), one->after_.end());
  }
}

}  // namespace eclosion::emulator
