// core/notifier: readable when there is news, and only then.
#include "notifier.h"

#include <doctest/doctest.h>
#include <poll.h>

#include <algorithm>
#include <thread>
#include <vector>

using eclosion::Notifier;

namespace {

bool readable(const Notifier& notifier) {
  pollfd entry{notifier.fileno(), POLLIN, 0};
  return ::poll(&entry, 1, 0) == 1;
}

}  // namespace

TEST_CASE("tokens come out once, in their order") {
  Notifier notifier;
  CHECK_FALSE(readable(notifier));
  CHECK(notifier.drain().empty());
  notifier.tell(3);
  notifier.tell(4);
  notifier.tell(3);
  CHECK(readable(notifier));
  CHECK(notifier.drain() == std::vector<std::uint64_t>{3, 4, 3});
  CHECK_FALSE(readable(notifier));
  notifier.tell(5);
  CHECK(readable(notifier));
}

TEST_CASE("no token is lost between threads") {
  Notifier notifier;
  constexpr int kTokens = 2000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      for (int token = 0; token < kTokens; ++token)
        notifier.tell(static_cast<std::uint64_t>(token));
    });
  std::size_t seen = 0;
  while (seen < 2 * kTokens) {
    pollfd entry{notifier.fileno(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, 20'000) == 1);
    seen += notifier.drain().size();
  }
  for (auto& thread : threads) thread.join();
  CHECK(seen == 2 * kTokens);
  CHECK_FALSE(readable(notifier));
}
