// core/endings: what has ended is known for good, and how it did for a while.
#include <doctest/doctest.h>

#include <string>

#include "endings.h"

using eclosion::Endings;

TEST_CASE("what has ended is told with its text until it begins again") {
  Endings endings(1 << 20);
  CHECK_FALSE(endings.contains(7));
  CHECK(endings.find(7) == std::nullopt);
  CHECK(endings.add(7, "it fell"));
  CHECK_FALSE(endings.add(7, "it fell again"));
  CHECK(endings.find(7) == "it fell");
  CHECK(endings.contains(7));
  CHECK(endings.remove(7));
  CHECK_FALSE(endings.remove(7));
  CHECK_FALSE(endings.contains(7));
  CHECK(endings.add(7, "later"));
  CHECK(endings.find(7) == "later");
}

TEST_CASE("texts of the longest ended are forgotten, that they ended is not") {
  constexpr std::uint64_t kLimit = 100'000;
  constexpr std::uint64_t kCount = 1000;
  Endings endings(kLimit);
  // In no order, as the numbers of processes are.
  const auto number = [](std::uint64_t i) { return i * 7919 % 10'007; };
  for (std::uint64_t i = 1; i <= kCount; ++i)
    CHECK(endings.add(number(i), std::string(500, 'x')));
  CHECK(endings.size() == kCount);
  CHECK(endings.bytes() <= kLimit);
  CHECK(endings.find(number(kCount)) == std::string(500, 'x'));
  CHECK(endings.find(number(1)) == "");
  for (std::uint64_t i = 1; i <= kCount; ++i) {
    CHECK(endings.contains(number(i)));
    CHECK_FALSE(endings.add(number(i), "again"));
  }
  CHECK_FALSE(endings.contains(number(kCount + 1)));
  CHECK(endings.remove(number(1)));
  CHECK_FALSE(endings.contains(number(1)));
  CHECK(endings.size() == kCount - 1);
}

TEST_CASE("what ends and begins again for ever leaves nothing") {
  Endings endings(100'000);
  for (int i = 0; i < 10'000; ++i) {
    CHECK(endings.add(7, std::string(500, 'x')));
    CHECK(endings.remove(7));
  }
  CHECK(endings.size() == 0);
  CHECK(endings.bytes() == 0);
}

TEST_CASE("a text over the limit is not kept") {
  Endings endings(100);
  CHECK(endings.add(7, std::string(500, 'x')));
  CHECK(endings.find(7) == "");
  CHECK(endings.bytes() == 0);
}
