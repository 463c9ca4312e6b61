// core/turns through core/loop: threads that do the loop's work while they
// wait.
#include <doctest/doctest.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#include "loop.h"
#include "nodes.h"

using eclosion::Clock;
using eclosion::Descriptor;
using eclosion::Gate;
using eclosion::kNever;
using eclosion::kNow;
using eclosion::Loop;
using eclosion::Watched;
using nodes::kPatience;
using nodes::socket_pair;

namespace {

constexpr std::chrono::milliseconds kLong{50};  // many rests

// Opens a gate for each byte that comes.
struct Door : Watched {
  explicit Door(int descriptor) : fd(descriptor) {}
  void on_ready(std::uint32_t /*events*/) override {
    char byte;
    if (::read(fd, &byte, 1) == 1) {
      worker = std::this_thread::get_id();
      gate.open();
    }
  }
  const int fd;
  Gate gate;
  std::atomic<std::thread::id> worker;
};

struct Visit {
  Visit() : ends(socket_pair()), inner(ends[0]), outer(ends[1]) {
    door = std::make_shared<Door>(inner.get());
    loop.add(inner.get(), door);
    loop.start();
  }
  void knock() const { REQUIRE(::write(outer.get(), "x", 1) == 1); }
  // Waits for what is under way already, over and over: the turn is this one's.
  void keep_coming(int times = 200) {
    for (int i = 0; i < times; ++i) {
      const auto seen = door->gate.count();
      knock();
      REQUIRE(loop.wait(door->gate, seen, kNever) == Gate::Woken::kChanged);
    }
  }

  std::array<int, 2> ends;
  Descriptor inner;
  Descriptor outer;
  Loop loop;
  std::shared_ptr<Door> door;
};

}  // namespace

TEST_CASE("who comes again and again does the work itself") {
  Visit visit;
  int own = 0;
  for (int i = 0; i < 500; ++i) {
    const auto seen = visit.door->gate.count();
    visit.knock();
    REQUIRE(visit.loop.wait(visit.door->gate, seen, kNever) ==
            Gate::Woken::kChanged);
    own += visit.door->worker.load() == std::this_thread::get_id() ? 1 : 0;
  }
  CHECK(own > 0);
  visit.loop.stop();
}

TEST_CASE("what comes when nobody waits any more is seen to") {
  Visit visit;
  visit.keep_coming();
  const auto seen = visit.door->gate.count();
  visit.knock();
  // Without the loop: its own thread has to come.
  CHECK(visit.door->gate.wait(seen, Clock::now() + kPatience) ==
        Gate::Woken::kChanged);
  visit.keep_coming();
  std::atomic<bool> ran{false};
  visit.loop.run_and_wait([&] { ran = true; }, kPatience);
  CHECK(ran);
  visit.loop.stop();
}

TEST_CASE("who waits beside another is woken, also when that one leaves") {
  Visit visit;
  for (int round = 0; round < 100; ++round) {
    visit.keep_coming(3);
    Gate never;
    const auto first = visit.door->gate.count();
    std::thread beside([&] {
      CHECK(visit.loop.wait(visit.door->gate, first, kNever) ==
            Gate::Woken::kChanged);
    });
    // It may have the turn for a while, at the other's side.
    CHECK(
        visit.loop.wait(never, never.count(),
                        Clock::now() + std::chrono::microseconds(round * 20)) ==
        Gate::Woken::kTimeout);
    visit.knock();
    beside.join();
  }
  visit.loop.stop();
}

TEST_CASE("one thread at a time works, however many wait") {
  Loop loop;
  loop.start();
  std::uint64_t tasks = 0;  // without a lock: only the turn keeps them apart
  std::vector<std::thread> threads;
  constexpr int kThreads = 6;
  constexpr int kTimes = 500;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      const auto gate = std::make_shared<Gate>();
      for (int j = 0; j < kTimes; ++j) {
        const auto seen = gate->count();
        loop.post([&tasks, gate] {
          ++tasks;
          gate->open();
        });
        while (gate->count() == seen)
          if (loop.wait(*gate, seen, Clock::now() + kPatience) ==
              Gate::Woken::kTimeout)
            return;
      }
    });
  for (auto& thread : threads) thread.join();
  loop.stop();
  CHECK(tasks == std::uint64_t{kThreads} * kTimes);
}

TEST_CASE("a thread that works is woken by another that opens its gate") {
  Visit visit;
  Gate gate;
  std::thread waiting;
  for (int i = 0; i < 200; ++i) {
    const auto seen = gate.count();
    std::atomic<bool> comes{false};
    waiting = std::thread([&] {
      visit.keep_coming(3);
      comes = true;
      CHECK(visit.loop.wait(gate, seen, Clock::now() + kPatience) ==
            Gate::Woken::kChanged);
    });
    while (!comes) std::this_thread::yield();
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    gate.open();
    waiting.join();
  }
  visit.loop.stop();
}

TEST_CASE("who comes only to look does some of the work too") {
  Visit visit;
  visit.keep_coming();
  const auto seen = visit.door->gate.count();
  visit.knock();
  while (visit.loop.wait(visit.door->gate, seen,
                         Clock::now() + std::chrono::nanoseconds(1)) !=
         Gate::Woken::kChanged) {
  }
  visit.loop.stop();
}

TEST_CASE("timers run while a thread works that waits for something else") {
  Visit visit;
  visit.keep_coming();
  std::atomic<int> often{0};
  visit.loop.every(std::chrono::milliseconds(1), [&] { ++often; });
  Gate never;
  CHECK(visit.loop.wait(never, never.count(), Clock::now() + kLong) ==
        Gate::Woken::kTimeout);
  CHECK(often > 0);
  visit.loop.stop();
}

TEST_CASE("a wait with a loop ends at its deadline, at once or later") {
  Visit visit;
  Gate never;
  CHECK(visit.loop.wait(never, never.count(), kNow) == Gate::Woken::kTimeout);
  CHECK(visit.loop.wait(never, never.count() + 1, kNever) ==
        Gate::Woken::kChanged);
  for (const auto patience : {Clock::duration(std::chrono::microseconds(1)),
                              Clock::duration(std::chrono::milliseconds(3))}) {
    const auto deadline = Clock::now() + patience;
    CHECK(visit.loop.wait(never, never.count(), deadline) ==
          Gate::Woken::kTimeout);
    CHECK(Clock::now() >= deadline);
  }
  visit.loop.stop();
}

TEST_CASE("a signal ends the wait of a thread that works") {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  struct sigaction before{};
  sigaction(SIGUSR1, &action, &before);
  Visit visit;
  std::atomic<bool> comes{false};
  std::atomic<bool> woken{false};
  std::thread waiting([&] {
    visit.keep_coming();
    comes = true;
    Gate never;
    while (visit.loop.wait(never, never.count(), kNever) !=
           Gate::Woken::kSignal) {
    }
    woken = true;
  });
  while (!comes) std::this_thread::yield();
  while (!woken) {
    pthread_kill(waiting.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  waiting.join();
  sigaction(SIGUSR1, &before, nullptr);
  visit.loop.stop();
}

TEST_CASE("a loop stops though threads wait with it, and these wait on") {
  Visit visit;
  Gate gate;
  const auto seen = gate.count();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (visit.loop.wait(gate, seen, kNever) != Gate::Woken::kChanged ||
             gate.count() == seen) {
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::atomic<bool> ran{false};
  visit.loop.post([&] { ran = true; });
  visit.loop.stop();
  CHECK(ran);
  gate.open();
  for (auto& thread : threads) thread.join();
}

TEST_CASE("a forked child waits by itself") {
  Visit visit;
  visit.keep_coming();
  const pid_t child = ::fork();
  if (child == 0) {
    Gate never;
    const auto woken = visit.loop.wait(
        never, never.count(), Clock::now() + std::chrono::milliseconds(5));
    ::_exit(woken == Gate::Woken::kTimeout ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  visit.loop.stop();
}
