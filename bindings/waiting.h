// How a Python thread waits for the core.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "core/gate.h"
#include "core/loop.h"

namespace eclosion {

inline Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
}

// None waits for ever, and so does what no clock can count.
inline Clock::time_point deadline_of(std::optional<double> timeout) {
  constexpr double kLongest = 1e9;
  if (!timeout || *timeout > kLongest) return kNever;
  if (*timeout <= 0) return kNow;
  return Clock::now() + duration_of(*timeout);
}

// How often who waits looks for signals. One that comes right before the wait,
// or to another thread, does not end it.
inline constexpr Clock::duration kSignalsSeen = std::chrono::milliseconds(100);

// Waits without the GIL until `ready` says so: true, or false at the deadline.
// Python's signal handlers run meanwhile, which they do on its first thread
// alone, and what they raise ends the wait. With a loop the thread does its
// work while it waits.
template <typename Ready>
bool wait_for(Gate& gate, Clock::time_point deadline, Ready ready,
              Loop* loop = nullptr) {
  thread_local const bool first = ::gettid() == ::getpid();
  while (true) {
    const std::uint32_t seen = gate.count();
    if (ready()) return true;
    const auto until =
        first ? std::min(deadline, Clock::now() + kSignalsSeen) : deadline;
    Gate::Woken woken;
    {
      nanobind::gil_scoped_release unlocked;
      woken = loop != nullptr ? loop->wait(gate, seen, until)
                              : gate.wait(seen, until);
    }
    if (woken == Gate::Woken::kChanged) continue;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (woken == Gate::Woken::kTimeout && Clock::now() >= deadline)
      return ready();
  }
}

}  // namespace eclosion
