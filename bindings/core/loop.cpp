// The descriptors, the timers, and the thread that sees to them.
#include "loop.h"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

constexpr std::chrono::milliseconds kLongest{60'000};  // of one wait

int checked(int fd, const char* call) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), call);
  return fd;
}

int milliseconds_to(Clock::time_point deadline, Clock::time_point now) {
  if (deadline - now > kLongest) return kLongest.count();
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - now);
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

// Threads inherit the mask of the one that starts them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

Loop::Loop()
    : epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_.get();
  checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event),
          "epoll_ctl");
}

Loop::~Loop() { stop(); }

void Loop::start() {
  SignalsBlocked blocked;
  started_ = true;
  thread_ = std::make_unique<std::thread>([this] { run(); });
  pthread_setname_np(thread_->native_handle(), "eclosion-io");
}

void Loop::stop() {
  if (!thread_) return;
  if (born_ != forks.load()) {
    // A forked child has no such thread, and nothing to wait for.
    [[maybe_unused]] auto* gone = thread_.release();
    return;
  }
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_->join();
  started_ = false;
  thread_.reset();
}

void Loop::add(int fd, std::shared_ptr<Watched> watched, bool also_write) {
  {
    std::lock_guard lock(mutex_);
    watched_[fd] = std::move(watched);
  }
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  if (also_write) event.events |= EPOLLOUT;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return;
  const int error = errno;
  {
    std::lock_guard lock(mutex_);
    watched_.erase(fd);
  }
  throw std::system_error(error, std::generic_category(), "epoll_ctl");
}

void Loop::want_write(int fd, bool wanted) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  if (wanted) event.events |= EPOLLOUT;
  event.data.fd = fd;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
  if (wanted) turns_.wake();
}

std::shared_ptr<Watched> Loop::remove(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  std::lock_guard lock(mutex_);
  auto found = watched_.find(fd);
  if (found == watched_.end()) return nullptr;
  std::shared_ptr<Watched> last = std::move(found->second);
  watched_.erase(found);
  return last;
}

void Loop::post(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  wake();
}

void Loop::run_and_wait(std::function<void()> task, Clock::duration at_most) {
  if (turns_.mine()) return task();
  if (!running()) return;
  const auto gate = std::make_shared<Gate>();
  const std::uint32_t seen = gate->count();
  const auto deadline = Clock::now() + at_most;
  post([gate, task = std::move(task)] {
    task();
    gate->open();
  });
  while (gate->count() == seen)
    if (gate->wait(seen, deadline) == Gate::Woken::kTimeout) return;
}

void Loop::every(Clock::duration interval, std::function<void()> task) {
  post([this, interval, task = std::move(task)]() mutable {
    timers_.push_back({interval, Clock::now() + interval, std::move(task)});
  });
}

void Loop::after(Clock::duration delay, std::function<void()> task) {
  post([this, at = Clock::now() + delay, task = std::move(task)]() mutable {
    timers_.push_back({Clock::duration::zero(), at, std::move(task)});
  });
}

void Loop::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] auto written = ::write(wake_.get(), &one, sizeof(one));
  turns_.wake();
}

int Loop::milliseconds_to_timer() const {
  if (timers_.empty()) return -1;
  auto next = std::min_element(
      timers_.begin(), timers_.end(),
      [](const Timer& a, const Timer& b) { return a.next < b.next; });
  return milliseconds_to(next->next, Clock::now());
}

void Loop::run_timers() {
  const auto now = Clock::now();
  std::vector<std::function<void()>> due;
  for (Timer& timer : timers_) {
    if (timer.next > now) continue;
    timer.next = now + timer.interval;
    due.push_back(timer.task);
  }
  std::erase_if(timers_, [now](const Timer& timer) {
    return timer.interval == Clock::duration::zero() && timer.next <= now;
  });
  for (auto& task : due) task();
}

void Loop::run_posted() {
  std::vector<std::function<void()>> tasks;
  {
    std::lock_guard lock(mutex_);
    tasks.swap(posted_);
  }
  for (auto& task : tasks) task();
}

int Loop::ready(Events& events, int milliseconds) {
  return ::epoll_wait(epoll_.get(), events.data(), events.size(), milliseconds);
}

// What it calls reports its own faults; the turn would never be left.
void Loop::serve(const Events& events, int count) noexcept {
  for (int i = 0; i < count; ++i) {
    const int fd = events[static_cast<std::size_t>(i)].data.fd;
    if (fd == wake_.get()) {
      std::uint64_t wakes;
      [[maybe_unused]] auto got = ::read(fd, &wakes, sizeof(wakes));
      continue;
    }
    std::shared_ptr<Watched> watched;
    {
      std::lock_guard lock(mutex_);
      auto found = watched_.find(fd);
      if (found != watched_.end()) watched = found->second;
    }
    if (watched) watched->on_ready(events[static_cast<std::size_t>(i)].events);
  }
  run_posted();
  run_timers();
}

void Loop::run() {
  while (true) {
    turns_.take();
    // Another may have read what wakes this one at the end.
    Events events;
    serve(events, ready(events, stopping_ ? 0 : milliseconds_to_timer()));
    bool ended;
    {
      std::lock_guard lock(mutex_);
      ended = stopping_ && posted_.empty();
    }
    turns_.leave();
    if (ended) return;
    turns_.rest();
  }
}

Gate::Woken Loop::wait(Gate& gate, std::uint32_t seen,
                       Clock::time_point deadline) {
  if (gate.count() != seen) return Gate::Woken::kChanged;
  if (deadline == kNow) return Gate::Woken::kTimeout;
  if (!running() || stopping_) return gate.wait(seen, deadline);
  if (!turns_.try_take()) return turns_.wait_aside(gate, seen, deadline);
  const Gate::Woken woken = work_until(gate, seen, deadline);
  turns_.leave();
  return woken;
}

Gate::Woken Loop::work_until(Gate& gate, std::uint32_t seen,
                             Clock::time_point deadline) {
  const auto awake_until = Clock::now() + gate.awake();
  Events events;
  while (gate.count() == seen && !stopping_) {
    const auto now = Clock::now();
    if (now >= deadline) {
      // Who had the turn has done something with it.
      serve(events, ready(events, 0));
      return gate.count() == seen ? Gate::Woken::kTimeout
                                  : Gate::Woken::kChanged;
    }
    if (now < awake_until) {
      serve(events, ready(events, 0));
      ::sched_yield();
      continue;
    }
    int most = milliseconds_to_timer();
    if (const int left = milliseconds_to(deadline, now);
        most < 0 || left < most)
      most = left;
    gate.wake_also(&wake_);
    const int count = gate.count() == seen ? ready(events, most) : 0;
    gate.wake_also(nullptr);
    if (count < 0) return Gate::Woken::kSignal;
    serve(events, count);
  }
  return Gate::Woken::kChanged;
}

}  // namespace eclosion
