// What waits for descriptors and times, and never for Python: one thread, and
// others while they wait.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "frame.h"
#include "gate.h"
#include "turns.h"

namespace eclosion {

// What a descriptor of the loop is for. Its functions run in the loop's turn:
// one at a time, on its thread or on one that waits.
class Watched {
 public:
  virtual ~Watched() = default;
  // `events` are epoll's.
  virtual void on_ready(std::uint32_t events) = 0;
};

class Loop {
 public:
  Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  // Starts the thread, with all signals blocked: they belong to the program.
  void start();
  // Ends the thread and waits for it. What was posted before still runs.
  void stop();

  // Watches a descriptor for reading; the loop shares the watcher's ownership
  // until remove(). From any thread. Throws std::system_error.
  void add(int fd, std::shared_ptr<Watched> watched, bool also_write = false);
  // Also tells when the descriptor can be written to, or no longer.
  void want_write(int fd, bool wanted);
  // Returns whose it was.
  std::shared_ptr<Watched> remove(int fd);

  // Waits for a gate as Gate::wait() does. Meanwhile this thread does the
  // loop's work, unless another does: what it waits for comes without a thread
  // more.
  Gate::Woken wait(Gate& gate, std::uint32_t seen, Clock::time_point deadline);

  // Runs a function in the loop's turn, as soon as can be or at a time.
  void post(std::function<void()> task);
  void every(Clock::duration interval, std::function<void()> task);
  void after(Clock::duration delay, std::function<void()> task);

  // Runs a function in the loop's turn and waits until it has run, or the time
  // is over; at once when this thread has the turn.
  void run_and_wait(std::function<void()> task, Clock::duration at_most);

  // Whether there is a thread: not before start(), not in a forked child.
  [[nodiscard]] bool running() const {
    return started_.load() && born_ == forks.load();
  }

 private:
  struct Timer {
    Clock::duration interval;  // zero: once
    Clock::time_point next;
    std::function<void()> task;
  };

  void run();
  Gate::Woken work_until(Gate& gate, std::uint32_t seen,
                         Clock::time_point deadline);
  // In the loop's turn. The first is -1 when a signal ended the wait.
  using Events = std::array<epoll_event, 64>;
  int ready(Events& events, int milliseconds);
  void serve(const Events& events, int count) noexcept;
  int milliseconds_to_timer() const;
  void run_timers();
  void run_posted();
  void wake();

  Descriptor epoll_;
  Descriptor wake_;
  std::unique_ptr<std::thread> thread_;
  std::atomic<bool> started_{false};
  Turns turns_;
  const std::uint32_t born_ = forks.load();
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::unordered_map<int, std::shared_ptr<Watched>> watched_;
  std::vector<Timer> timers_;
  std::atomic<bool> stopping_{false};
};

}  // namespace eclosion
