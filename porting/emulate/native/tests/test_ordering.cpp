// core/ordering: what happens before what, by streams, joins and the host.
#include "ordering.h"

#include <doctest/doctest.h>

using namespace eclosion::emulator;

namespace {

Ordering after(std::uint32_t timeline,
               const std::vector<const Ordering*>& points) {
  return Timelines::next(timeline, points);
}

}  // namespace

TEST_CASE("points of one timeline happen one after the other") {
  const std::uint32_t line = Timelines::take();
  const Ordering first = after(line, {});
  const Ordering second = after(line, {&first});
  CHECK(happens_before(first, second));
  CHECK_FALSE(happens_before(second, first));
  CHECK(second.before == first.before);
}

TEST_CASE("points of two timelines are ordered by joins only") {
  const std::uint32_t a = Timelines::take();
  const std::uint32_t b = Timelines::take();
  const Ordering a1 = after(a, {});
  const Ordering b1 = after(b, {});
  const Ordering a2 = after(a, {&a1});
  CHECK_FALSE(happens_before(a1, b1));
  CHECK_FALSE(happens_before(b1, a1));
  const Ordering b2 = after(b, {&b1, &a1});
  CHECK(happens_before(a1, b2));
  CHECK_FALSE(happens_before(a2, b2));
  const Ordering b3 = after(b, {&b2});
  CHECK(happens_before(a1, b3));
}

TEST_CASE("order goes on through others") {
  const std::uint32_t a = Timelines::take();
  const std::uint32_t b = Timelines::take();
  const std::uint32_t c = Timelines::take();
  const Ordering a1 = after(a, {});
  const Ordering b1 = after(b, {&a1});
  const Ordering c1 = after(c, {&b1});
  CHECK(happens_before(a1, c1));
  CHECK_FALSE(happens_before(c1, a1));
}

TEST_CASE("what the host has seen happens before what it asks for then") {
  const std::uint32_t a = Timelines::take();
  const std::uint32_t b = Timelines::take();
  const std::uint32_t c = Timelines::take();
  const Ordering a1 = after(a, {});
  const Ordering b1 = after(b, {&a1});
  const Ordering c1 = after(c, {});
  CHECK_FALSE(is_seen_by_host(a1));
  host_saw(b1);
  CHECK(is_seen_by_host(a1));
  CHECK(is_seen_by_host(b1));
  CHECK_FALSE(is_seen_by_host(c1));
  const Ordering c2 = after(c, {&c1});
  CHECK(happens_before(a1, c2));
  CHECK(happens_before(b1, c2));
  CHECK_FALSE(happens_before(a1, c1));
}

TEST_CASE("a timeline that is used again goes on counting") {
  const std::uint32_t line = Timelines::take();
  const Ordering first = after(line, {});
  Timelines::give_back(line);
  REQUIRE(Timelines::take() == line);
  CHECK(after(line, {}).position == first.position + 1);
}

TEST_CASE("points on no timeline are before and after everything") {
  const Ordering nowhere;
  const Ordering somewhere = after(Timelines::take(), {});
  CHECK(happens_before(nowhere, somewhere));
  CHECK(happens_before(somewhere, nowhere));
  CHECK_FALSE(is_seen_by_host(nowhere));
}
