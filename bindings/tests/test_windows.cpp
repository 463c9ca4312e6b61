// core/windows: how much is under way, and when credit is due.
#include "windows.h"

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include <vector>

using eclosion::Credits;
using eclosion::Target;
using eclosion::Windows;

namespace {

const std::vector<Target> kOne{{1, 1, 0}};
const std::vector<Target> kBoth{{1, 1, 0}, {1, 2, 1}};

bool take(Windows& windows, std::span<const Target> targets,
          std::uint64_t size) {
  std::vector<Windows::Load> messages;
  for (const Target& target : targets) messages.push_back({target, size});
  return windows.try_take(messages);
}

}  // namespace

TEST_CASE("a window is full of messages, or of bytes") {
  Windows windows(4, 1000);
  for (int i = 0; i < 4; ++i) CHECK(take(windows, kOne, 10));
  CHECK_FALSE(take(windows, kOne, 10));
  windows.give({1, 1, 0}, 1, 10);
  CHECK(take(windows, kOne, 10));
  Windows bytes(100, 1000);
  CHECK(take(bytes, kOne, 900));
  CHECK_FALSE(take(bytes, kOne, 200));
  CHECK(take(bytes, kOne, 100));
  CHECK_FALSE(take(bytes, kOne, 0));
}

TEST_CASE("all targets have room, or none is counted") {
  Windows windows(1, 1000);
  CHECK(take(windows, kOne, 1));
  CHECK_FALSE(take(windows, kBoth, 1));
  windows.give({1, 1, 0}, 1, 1);
  CHECK(take(windows, kBoth, 1));
}

TEST_CASE("an empty window takes a message of any size") {
  Windows windows(4, 1000);
  CHECK(take(windows, kOne, ~0ULL));
  CHECK_FALSE(take(windows, kOne, 1));
}

TEST_CASE("what a receiver keeps to itself does not block the largest") {
  for (const std::uint64_t size : {1ULL, 100ULL, 990ULL, 1000ULL, 5000ULL}) {
    Windows windows(64, 8000);
    Credits credits(64, 8000);
    for (int i = 0; i < 500; ++i) {
      REQUIRE(take(windows, kOne, size));
      const auto due = credits.taken(9, 1, size);
      if (due.messages != 0) windows.give(kOne[0], due.messages, due.bytes);
      // All was taken: whatever its size, the next one has room.
    }
    CHECK(take(windows, kOne, 1'000'000));
  }
}

TEST_CASE("the dead use no window, and room is told of") {
  Windows windows(1, 1000);
  CHECK(take(windows, kBoth, 1));
  const auto seen = windows.gate().count();
  windows.forget(1);
  CHECK(windows.gate().count() != seen);
  CHECK(take(windows, kBoth, 1));
}

TEST_CASE("credit that nobody took does no harm") {
  Windows windows(2, 1000);
  windows.give({1, 1, 0}, 5, 5);
  CHECK(take(windows, kOne, 1));
  windows.give({1, 1, 0}, ~0ULL, ~0ULL);
  CHECK(take(windows, kOne, 1));
  CHECK(take(windows, kOne, 1));
  CHECK_FALSE(take(windows, kOne, 1));
}

TEST_CASE("credit is due for an eighth of a window, of a sender and mailbox") {
  Credits credits(64, 8000);
  for (int i = 0; i < 8; ++i) {
    CHECK(credits.taken(1, 1, 10).messages == 0);
    CHECK(credits.taken(1, 2, 10).messages == 0);
  }
  const auto due = credits.taken(1, 1, 10);
  CHECK(due.messages == 9);
  CHECK(due.bytes == 90);
  CHECK(credits.taken(1, 2, 1000).messages == 9);
  CHECK(credits.taken(2, 1, 1000).bytes == 1000);
  credits.taken(1, 1, 10);
  credits.forget(1);
  CHECK(credits.taken(1, 1, 1000).messages == 1);
  CHECK(Credits(4, 1000).taken(1, 1, 0).messages == 1);
}
