// One thread that waits for descriptors and times, and never for Python.
#pragma once

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

namespace eclosion {

// What a descriptor of the loop is for. Its functions run on the loop's thread.
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

  // Runs a function on the loop's thread, as soon as can be or at a time.
  void post(std::function<void()> task);
  void every(Clock::duration interval, std::function<void()> task);
  void after(Clock::duration delay, std::function<void()> task);

  // Runs a function on the loop's thread and waits until it has run, or the
  // time is over; at once when this is the loop's thread.
  void run_and_wait(std::function<void()> task, Clock::duration at_most);

  // Whether there is a thread: not before start(), not in a forked child.
  [[nodiscard]] bool running() const {
    return runner_.load() != std::thread::id() && born_ == forks.load();
  }

 private:
  struct Timer {
    Clock::duration interval;  // zero: once
    Clock::time_point next;
    std::function<void()> task;
  };

  void run();
  int milliseconds_to_timer() const;
  void run_timers();
  void run_posted();
  void wake();

  Descriptor epoll_;
  Descriptor wake_;
  std::unique_ptr<std::thread> thread_;
  std::atomic<std::thread::id> runner_;
  const std::uint32_t born_ = forks.load();
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::unordered_map<int, std::shared_ptr<Watched>> watched_;
  std::vector<Timer> timers_;
  bool stopping_ = false;
};

}  // namespace eclosion
