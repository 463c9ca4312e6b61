// core/gate: no change is missed, deadlines and signals end a wait.
#include "gate.h"

#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

using eclosion::Clock;
using eclosion::Gate;
using eclosion::kNever;
using eclosion::kNow;

TEST_CASE("a change before the wait is not missed") {
  Gate gate;
  const auto seen = gate.count();
  gate.open();
  CHECK(gate.wait(seen, kNever) == Gate::Woken::kChanged);
  CHECK(gate.wait(seen, kNow) == Gate::Woken::kChanged);
}

TEST_CASE("a wait without a change ends at its deadline") {
  Gate gate;
  const auto seen = gate.count();
  CHECK(gate.wait(seen, kNow) == Gate::Woken::kTimeout);
  const auto deadline = Clock::now() + std::chrono::milliseconds(5);
  CHECK(gate.wait(seen, deadline) == Gate::Woken::kTimeout);
  CHECK(Clock::now() >= deadline);
  CHECK(gate.wait(seen, Clock::now() - std::chrono::seconds(1)) ==
        Gate::Woken::kTimeout);
}

TEST_CASE("two threads hand a number to each other, and none sleeps for ever") {
  Gate gate;
  std::atomic<int> number{0};
  constexpr int kTurns = 5000;
  auto play = [&](int mine) {
    while (true) {
      const auto seen = gate.count();
      const int now = number.load();
      if (now >= kTurns) return;
      if (now % 2 == mine) {
        number = now + 1;
        gate.open();
      } else {
        gate.wait(seen, kNever);
      }
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  CHECK(number == kTurns);
}

TEST_CASE("opening wakes every thread that waits") {
  Gate gate;
  const auto seen = gate.count();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (gate.wait(seen, kNever) != Gate::Woken::kChanged) {
      }
    });
  gate.open();
  for (auto& thread : threads) thread.join();
}

TEST_CASE("a signal ends the wait of the thread that handles it") {
  static std::atomic<int> handled{0};
  struct sigaction action{};
  action.sa_handler = [](int) { ++handled; };
  struct sigaction before{};
  sigaction(SIGUSR1, &action, &before);
  Gate gate;
  const auto seen = gate.count();
  std::atomic<bool> woken{false};
  std::thread waiting([&] {
    while (gate.wait(seen, kNever) != Gate::Woken::kSignal) {
    }
    woken = true;
  });
  // Until one of them met it in its wait.
  while (!woken) {
    pthread_kill(waiting.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  waiting.join();
  CHECK(handled > 0);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("a gate that stays awake waits no less and no longer") {
  Gate gate(std::chrono::milliseconds(20));
  const std::uint32_t seen = gate.count();
  const auto begun = Clock::now();
  const auto soon = begun + std::chrono::milliseconds(1);
  CHECK(gate.wait(seen, soon) == Gate::Woken::kTimeout);
  CHECK(Clock::now() >= soon);
  // Far later than it stays awake.
  const auto later = Clock::now() + std::chrono::milliseconds(60);
  CHECK(gate.wait(seen, later) == Gate::Woken::kTimeout);
  CHECK(Clock::now() >= later);
  std::thread opens([&] { gate.open(); });
  CHECK(gate.wait(seen, kNever) == Gate::Woken::kChanged);
  opens.join();
}
