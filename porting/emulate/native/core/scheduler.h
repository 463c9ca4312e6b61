// Threads that run operations, and the blocks of kernels, when they are ready.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "operation.h"

namespace eclosion::emulator {

class Scheduler {
 public:
  // The scheduler of this process. Its threads start with the first operation
  // and are not joined: the process ends without them.
  static Scheduler& get();

  // Hand over an operation; it runs once each of `after` is done. Empty
  // references and those that are done count as nothing.
  void submit(const OperationRef& operation,
              std::span<const OperationRef> after);

  // Wait until an operation is done. Null: returns at once.
  void wait(const OperationRef& operation);

  // Run `part(worker)` on as many threads as are free, the caller's among them,
  // and return when each that began has returned. `part` takes pieces of the
  // work itself until there are none. `worker` < worker_limit().
  void share(unsigned most, const std::function<void(unsigned worker)>& part);

  unsigned worker_limit() const noexcept;

 private:
  Scheduler();
  struct State;
  State* state_;  // lives as long as the process: threads may still use it
};

}  // namespace eclosion::emulator
