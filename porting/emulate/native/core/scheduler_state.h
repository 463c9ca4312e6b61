// What the scheduler's callers and its threads share; for scheduler.cpp and
// workers.cpp only.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "scheduler.h"

namespace eclosion::emulator {

// A piece of work that free workers take part in, on the stack of its caller.
struct Scheduler::Share {
  const std::function<void(unsigned)>* part;
  unsigned places;      // for more threads
  unsigned active = 0;  // threads in it, without the caller
  std::condition_variable left;
};

struct Scheduler::State {
  // Threads that run operations, and how many of them may be at work before
  // none of them joins another's kernel.
  unsigned threads = 0;
  unsigned processors = 0;
  Operation::Clock::duration delay{};

  std::mutex lock;
  bool are_threads_started = false;
  std::map<int, std::deque<OperationRef>> ready;  // by priority, none empty
  std::vector<OperationRef> delayed;  // ready, but not before a time
  std::deque<OperationRef> host_ready;
  std::vector<OperationRef> watched;
  std::vector<Share*> shares;
  unsigned busy = 0;  // workers at work
  unsigned idle = 0;  // workers that wait for `work`
  std::condition_variable work;
  std::condition_variable host_work;
  std::condition_variable watch_work;
  std::condition_variable done;
  std::mutex outside;  // one thread that is no worker shares at a time

  // All of these with the lock held.
  void start_threads();
  // Let an operation run, or finish it where there is nothing to run; whether
  // it is finished.
  bool release(const OperationRef& operation);
  void finish(const OperationRef& operation, Status status);
  void hurry(const OperationRef& operation);
  void enqueue(const OperationRef& operation);
  void take_due(Operation::Clock::time_point now);
  OperationRef take_ready();
  Share* take_share();
  void begin_work();

  // Without the lock: run the body where the device is sound.
  static Status run(Operation& operation);
  void work_for_ever(unsigned worker);
  void run_host_functions();
  void watch_for_ever();
};

}  // namespace eclosion::emulator
