// The scheduler's threads: workers for kernels and copies, one for the
// program's functions, one for what has to be asked again and again.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>
#include <thread>

#include "accesses.h"
#include "host_guard.h"
#include "scheduler_state.h"
#include "stream.h"

namespace eclosion::emulator {

namespace {

using std::chrono::microseconds;

// What is watched for changes in another process or by a kernel, soon at first
// and then less often, so that a long wait costs little.
constexpr microseconds kWatchSoon{20};
constexpr microseconds kWatchSeldom{1000};

constexpr unsigned kNoWorker = ~0U;
thread_local unsigned this_worker = kNoWorker;
thread_local bool in_host_function = false;

// Signals of the program go to its own threads; faults stay with the thread
// that makes them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// The emulator's own work. What functions of the program throw ends it, as it
// does on a thread of the vendors'.
Status carry_out(const Operation::Body& body, Operation& operation) {
  try {
    return body(operation);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "emulator: %s: this machine has no memory or mapping left for "
                 "it, so it is not done; give it more\n",
                 operation.title().what.c_str());
    return Status::kOutOfMemory;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "emulator: %s: it is not done: %s; this is a fault of the "
                 "emulator's, please report it\n",
                 operation.title().what.c_str(), error.what());
    return Status::kUnknown;
  }
}

}  // namespace

bool is_in_host_function() noexcept { return in_host_function; }

bool is_worker() noexcept { return this_worker != kNoWorker; }

void start_thread(const char* name, std::function<void()> work) {
  const SignalsBlocked blocked;
  std::thread thread(std::move(work));
  pthread_setname_np(thread.native_handle(), name);
  thread.detach();
}

void Scheduler::State::start_threads() {
  are_threads_started = true;
  for (unsigned i = 0; i < threads; ++i)
    start_thread("emu-worker", [this, i] { work_for_ever(i); });
  start_thread("emu-host", [this] { run_host_functions(); });
  start_thread("emu-watch", [this] { watch_for_ever(); });
}

Status Scheduler::State::run(Operation& operation) {
  // The body goes before the operation is done: what it holds may be wanted by
  // whoever waits.
  const Operation::Body body = std::move(operation.body_);
  operation.body_ = nullptr;
  const Status failure = device_failure(operation.device());
  if (failure != Status::kSuccess && !operation.traits_.even_after_failure)
    return failure;
  begin_accesses(operation);
  const Status status = operation.traits_.lane == Lane::kHost
                            ? body(operation)
                            : carry_out(body, operation);
  if (status != Status::kSuccess) fail_device(operation.device(), status);
  return status;
}

void Scheduler::State::take_due(Operation::Clock::time_point now) {
  const auto is_due = [&](const OperationRef& one) {
    return one->not_before_ <= now;
  };
  std::vector<OperationRef> due;
  std::ranges::copy_if(delayed, std::back_inserter(due), is_due);
  std::erase_if(delayed, is_due);
  for (const OperationRef& one : due) enqueue(one);
}

OperationRef Scheduler::State::take_ready() {
  if (ready.empty()) return nullptr;
  const auto first = ready.begin();
  OperationRef operation = std::move(first->second.front());
  first->second.pop_front();
  if (first->second.empty()) ready.erase(first);
  return operation;
}

Scheduler::Share* Scheduler::State::take_share() {
  if (busy >= processors) return nullptr;
  for (Share* share : shares) {
    if (share->places == 0) continue;
    --share->places;
    ++share->active;
    return share;
  }
  return nullptr;
}

// Whoever gets work may be the only one that waited for the time of delayed
// work: which of those that wait is woken is not for us to say.
void Scheduler::State::begin_work() {
  ++busy;
  if (!delayed.empty() && idle != 0) work.notify_one();
}

void Scheduler::State::work_for_ever(unsigned worker) {
  this_worker = worker;
  std::unique_lock guard(lock);
  for (;;) {
    if (!delayed.empty()) take_due(Operation::Clock::now());
    if (const OperationRef operation = take_ready()) {
      begin_work();
      guard.unlock();
      const Status status = run(*operation);
      guard.lock();
      --busy;
      finish(operation, status);
    } else if (Share* share = take_share()) {
      begin_work();
      guard.unlock();
      (*share->part)(worker);
      guard.lock();
      --busy;
      if (--share->active == 0) share->left.notify_one();
    } else {
      ++idle;
      if (delayed.empty()) {
        work.wait(guard);
      } else {
        const auto earliest = std::min_element(
            delayed.begin(), delayed.end(), [](const auto& a, const auto& b) {
              return a->not_before_ < b->not_before_;
            });
        const auto until = (*earliest)->not_before_;
        work.wait_until(guard, until);
      }
      --idle;
    }
  }
}

void Scheduler::State::run_host_functions() {
  std::unique_lock guard(lock);
  for (;;) {
    host_work.wait(guard, [&] { return !host_ready.empty(); });
    const OperationRef operation = std::move(host_ready.front());
    host_ready.pop_front();
    guard.unlock();
    // It runs on the host, which so sees that all before it is done.
    host_saw(operation->order());
    open_seen_memory();
    in_host_function = true;
    const Status status = run(*operation);
    in_host_function = false;
    guard.lock();
    finish(operation, status);
  }
}

void Scheduler::State::watch_for_ever() {
  microseconds pause = kWatchSoon;
  std::unique_lock guard(lock);
  for (;;) {
    if (watched.empty()) {
      watch_work.wait(guard, [&] { return !watched.empty(); });
      pause = kWatchSoon;
    }
    const std::vector<OperationRef> now = watched;
    guard.unlock();
    std::vector<std::pair<OperationRef, Status>> ended;
    for (const OperationRef& one : now) {
      Status status = device_failure(one->device());
      if (status == Status::kSuccess) status = one->body_(*one);
      if (status != Status::kNotReady) ended.emplace_back(one, status);
    }
    for (auto& [one, status] : ended) {
      one->body_ = nullptr;
      if (status != Status::kSuccess) fail_device(one->device(), status);
    }
    guard.lock();
    for (auto& [one, status] : ended) {
      std::erase(watched, one);
      finish(one, status);
    }
    if (!ended.empty() || watched.size() > now.size()) {
      pause = kWatchSoon;
    } else if (!watched.empty()) {
      watch_work.wait_for(guard, pause);
      pause = std::min(pause * 2, kWatchSeldom);
    }
  }
}

void Scheduler::share(unsigned most,
                      const std::function<void(unsigned)>& part) {
  State& state = *state_;
  std::unique_lock<std::mutex> alone;
  unsigned worker = this_worker;
  if (worker == kNoWorker) {
    alone = std::unique_lock(state.outside);
    worker = state.threads;
  }
  if (most <= 1) return part(worker);
  Share share{&part, most - 1, 0, {}};
  {
    const std::scoped_lock guard(state.lock);
    state.shares.push_back(&share);
    // More than may join wake in vain; fewer would leave processors unused.
    const unsigned free =
        state.processors - std::min(state.busy, state.processors);
    for (unsigned i = 0; i < std::min({free, state.idle, most - 1}); ++i)
      state.work.notify_one();
  }
  part(worker);
  std::unique_lock guard(state.lock);
  std::erase(state.shares, &share);
  share.left.wait(guard, [&] { return share.active == 0; });
}

}  // namespace eclosion::emulator
