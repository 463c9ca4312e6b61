// Where a thread waits until something has changed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "descriptor.h"

namespace eclosion {

using Clock = std::chrono::steady_clock;

// A counter of changes that can be waited on. Whoever waits reads the count
// first, looks at what it waits for, and then waits for another count: a change
// in between is not missed. A signal handler that runs in the waiting thread
// ends the wait, which a condition variable would hide.
class Gate {
 public:
  enum class Woken : std::uint8_t { kChanged, kTimeout, kSignal };

  // Who waits looks for so long before it sleeps, and lets others run
  // meanwhile: a processor that sleeps takes tens of microseconds to wake.
  explicit Gate(Clock::duration awake = Clock::duration::zero())
      : awake_(awake) {}

  [[nodiscard]] std::uint32_t count() const {
    return count_.load(std::memory_order_acquire);
  }
  [[nodiscard]] Clock::duration awake() const { return awake_; }
  // Waits until the count is another than `seen`, or the deadline.
  Woken wait(std::uint32_t seen, Clock::time_point deadline);
  // Who waits for something else too, and for no gate, is woken by this eventfd
  // when it opens; null ends that. For one thread at a time.
  void wake_also(const Descriptor* eventfd) { also_ = eventfd; }
  // Counts a change and wakes every waiting thread.
  void open();

 private:
  bool changes_soon(std::uint32_t seen, Clock::time_point deadline) const;

  const Clock::duration awake_;
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<const Descriptor*> also_{nullptr};
};

// Never, and "look, but do not wait".
inline constexpr Clock::time_point kNever = Clock::time_point::max();
inline constexpr Clock::time_point kNow = Clock::time_point::min();

}  // namespace eclosion
