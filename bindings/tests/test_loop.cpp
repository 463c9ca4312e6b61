// core/loop: tasks, timers, descriptors, and the end of the thread.
#include "loop.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <system_error>
#include <vector>

#include "nodes.h"

using eclosion::Clock;
using eclosion::Descriptor;
using eclosion::Gate;
using eclosion::Loop;
using eclosion::Watched;
using nodes::socket_pair;
using nodes::wait_for;

namespace {

struct Watcher : Watched {
  Gate gate;
  std::atomic<std::uint32_t> seen{0};
  void on_ready(std::uint32_t events) override {
    seen |= events;
    gate.open();
  }
};

}  // namespace

TEST_CASE("posted tasks run in order on one thread, also those before stop") {
  Loop loop;
  std::vector<int> order;
  for (int i = 0; i < 10; ++i) loop.post([&, i] { order.push_back(i); });
  loop.start();
  for (int i = 10; i < 1000; ++i) loop.post([&, i] { order.push_back(i); });
  loop.stop();
  REQUIRE(order.size() == 1000);
  for (int i = 0; i < 1000; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a loop runs a task for who waits, even on its own thread") {
  Loop loop;
  int runs = 0;
  loop.run_and_wait([&] { ++runs; }, nodes::kPatience);
  CHECK(runs == 0);  // there is no thread
  loop.start();
  CHECK(loop.running());
  loop.run_and_wait(
      [&] { loop.run_and_wait([&] { ++runs; }, nodes::kPatience); },
      nodes::kPatience);
  CHECK(runs == 1);
  loop.stop();
  CHECK_FALSE(loop.running());
}

TEST_CASE("who waits for a busy loop waits no longer than it wants") {
  Loop loop;
  loop.start();
  Gate release;
  const auto seen = release.count();
  loop.post([&] { release.wait(seen, eclosion::kNever); });
  auto ran = std::make_shared<std::atomic<bool>>(false);
  loop.run_and_wait([ran] { *ran = true; }, std::chrono::milliseconds(5));
  CHECK_FALSE(*ran);
  release.open();
  loop.stop();
  CHECK(*ran);
}

TEST_CASE("timers come in the order of their times, repeated ones again") {
  Loop loop;
  loop.start();
  Gate gate;
  std::atomic<int> often{0};
  std::atomic<int> order{0};
  loop.after(std::chrono::milliseconds(30), [&] {
    order = order * 10 + 2;
    gate.open();
  });
  loop.after(std::chrono::milliseconds(5), [&] { order = order * 10 + 1; });
  loop.every(std::chrono::milliseconds(2), [&] {
    ++often;
    gate.open();
  });
  CHECK(wait_for(gate, [&] { return order == 12 && often >= 5; }));
  loop.stop();
  CHECK(order == 12);
}

TEST_CASE("a descriptor is watched until it is removed") {
  Loop loop;
  loop.start();
  const auto ends = socket_pair();
  const Descriptor one(ends[0]);
  const Descriptor other(ends[1]);
  auto watcher = std::make_shared<Watcher>();
  loop.add(one.get(), watcher);
  CHECK(::write(other.get(), "x", 1) == 1);
  CHECK(
      wait_for(watcher->gate, [&] { return (watcher->seen & EPOLLIN) != 0; }));
  CHECK((watcher->seen & EPOLLOUT) == 0);
  loop.want_write(one.get(), true);
  CHECK(
      wait_for(watcher->gate, [&] { return (watcher->seen & EPOLLOUT) != 0; }));
  CHECK(loop.remove(one.get()) == watcher);
  CHECK(loop.remove(one.get()) == nullptr);
  loop.run_and_wait([] {}, nodes::kPatience);
  watcher->seen = 0;
  loop.run_and_wait([] {}, nodes::kPatience);
  CHECK(watcher->seen == 0);
  CHECK(watcher.use_count() == 1);
  loop.add(one.get(), watcher, true);
  CHECK(
      wait_for(watcher->gate, [&] { return (watcher->seen & EPOLLOUT) != 0; }));
  loop.stop();
}

TEST_CASE("what cannot be watched is not kept") {
  Loop loop;
  const Descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  auto watcher = std::make_shared<Watcher>();
  CHECK_THROWS_AS(loop.add(file.get(), watcher), std::system_error);
  CHECK(watcher.use_count() == 1);
}

TEST_CASE("signals of the program do not go to the loop's thread") {
  Loop loop;
  loop.start();
  sigset_t mask;
  sigemptyset(&mask);
  loop.run_and_wait([&] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); },
                    nodes::kPatience);
  CHECK(sigismember(&mask, SIGINT) == 1);
  CHECK(sigismember(&mask, SIGTERM) == 1);
  loop.stop();
}
