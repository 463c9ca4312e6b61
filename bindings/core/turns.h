// Which thread does the work of a loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "gate.h"

namespace eclosion {

// One thread at a time works. The loop's own thread does, and rests while
// others come for the turn again and again: who waits for what the work brings
// works itself, and no other thread has to wake it.
//
// TU-1 somebody works, or comes to within a rest: the loop's thread.
// TU-2 while a thread waits aside, somebody works, or comes to at once.
class Turns {
 public:
  // For the loop's thread: waits for its turn.
  void take();
  // For another: false if somebody works. Counts as coming for the turn.
  bool try_take();
  void leave();
  [[nodiscard]] bool mine() const {
    return working_.load() == std::this_thread::get_id();
  }

  // For the loop's thread, between two turns.
  void rest();
  // Ends its rest: there is something to do that nobody waits for.
  void wake() { resting_.open(); }

  // For another: waits for a gate while somebody else works. Returns at once,
  // with kChanged, when nobody does.
  Gate::Woken wait_aside(Gate& gate, std::uint32_t seen,
                         Clock::time_point deadline);

 private:
  // How long what no thread waits for may lie: what a Notifier tells of, say,
  // while another thread of the process comes again and again.
  static constexpr Clock::duration kRest = std::chrono::milliseconds(2);

  bool awaited();

  std::mutex turn_;
  std::atomic<std::thread::id> working_;
  std::atomic<std::uint32_t> asked_{0};
  Gate resting_;
  // Of the loop's thread: how many had asked, and how often it was woken.
  std::uint32_t known_ = 0;
  std::uint32_t wakes_ = 0;
  std::mutex aside_mutex_;
  std::vector<std::pair<const Gate*, std::uint32_t>> aside_;
};

}  // namespace eclosion
