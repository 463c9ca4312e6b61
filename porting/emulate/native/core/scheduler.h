// Threads that run operations, and the blocks of kernels, when they are ready.
#pragma once

#include <functional>
#include <span>

#include "operation.h"

namespace eclosion::emulator {

class Scheduler {
 public:
  // The scheduler of this process. Its threads start with the first operation
  // and are not joined: the process ends without them.
  static Scheduler& get();

  // Hand over an operation; it runs once each of `after` is done. Empty
  // references and those that are done count as nothing. In a forked child
  // nothing happens.
  void submit(const OperationRef& operation,
              std::span<const OperationRef> after);

  // Wait until an operation is done. Null: returns at once.
  void wait(const OperationRef& operation);
  // The same for some time; whether it is done.
  bool wait_for(const OperationRef& operation, Operation::Clock::duration most);
  // Whether it comes after a function of the program, or something watched,
  // that is not done: the host may keep it waiting.
  bool waits_for_host(const OperationRef& operation);

  // Run `part(worker)` on as many threads as are free, the caller's among them,
  // and return when each that began has returned. `part` takes pieces of the
  // work itself until there are none. `worker` < worker_limit(), and no two
  // threads have the same at one time.
  void share(unsigned most, const std::function<void(unsigned worker)>& part);

  unsigned worker_limit() const noexcept;

 private:
  Scheduler();
  struct State;
  struct Share;
  State* state_;  // lives as long as the process: threads may still use it
};

// Whether this process was forked from one that had begun to use devices: its
// threads are not here, its locks may be held for ever, and every call has to
// say "not initialised".
bool is_forked_child() noexcept;

// Whether the calling thread is one that runs kernels and copies.
bool is_worker() noexcept;

// Start a thread that lives as long as the process and takes no signals but
// those of its own faults.
void start_thread(const char* name, std::function<void()> work);

// Whether the calling thread runs a function of the program that a stream
// called, which may not use devices.
bool is_in_host_function() noexcept;

}  // namespace eclosion::emulator
