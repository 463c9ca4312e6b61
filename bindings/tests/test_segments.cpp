// core/segments: leases, their readers, the limit, and lies about sizes.
#include "segments.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

using eclosion::Descriptor;
using eclosion::LargeBuffer;
using eclosion::Segments;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;
// The smallest segment, of one MiB, is enough for it.
constexpr std::uint64_t kSmall = kMiB / 2;

}  // namespace

TEST_CASE("what is written into a lease is read by its descriptor") {
  Segments segments(8 * kMiB);
  const auto lease = segments.try_lease(100'000);
  REQUIRE(lease.memory != nullptr);
  std::memcpy(lease.memory + 1000, "hello", 5);
  char read[5];
  read_segment(*lease.descriptor, 1000, read, 5);
  CHECK(std::string_view(read, 5) == "hello");
}

TEST_CASE(
    "a segment is free when each reader has released it as often as named") {
  Segments segments(kMiB);
  const auto lease = segments.try_lease(100);
  segments.add_readers(lease.id, {{1, 1}, {2, 2}});
  CHECK(segments.try_lease(100).memory == nullptr);
  segments.release(lease.id, 1);
  segments.release(lease.id, 1);
  segments.release(lease.id, 3);
  segments.release(lease.id, 2);
  CHECK(segments.try_lease(100).memory == nullptr);
  const auto seen = segments.gate().count();
  segments.release(lease.id, 2);
  CHECK(segments.gate().count() != seen);
  const auto again = segments.try_lease(100);
  REQUIRE(again.memory != nullptr);
  // The same memory, under another number: late releases are of no other.
  CHECK(again.memory == lease.memory);
  CHECK(again.id != lease.id);
  segments.add_readers(again.id, {{2, 1}});
  segments.release(lease.id, 2);
  CHECK(segments.try_lease(100).memory == nullptr);
}

TEST_CASE("the dead release what they had, and nobody else's") {
  Segments segments(kMiB);
  const auto lease = segments.try_lease(100);
  segments.add_readers(lease.id, {{1, 3}, {2, 1}});
  segments.forget(1);
  CHECK(segments.try_lease(100).memory == nullptr);
  segments.forget(2);
  CHECK(segments.try_lease(100).memory != nullptr);
}

TEST_CASE("a lease that was sent to nobody is free") {
  Segments segments(kMiB);
  const auto lease = segments.try_lease(100);
  segments.add_readers(lease.id, {});
  CHECK(segments.try_lease(100).memory == lease.memory);
}

TEST_CASE("the limit holds, but for one segment alone") {
  Segments segments(4 * kMiB);
  const auto large = segments.try_lease(16 * kMiB);
  REQUIRE(large.memory != nullptr);
  CHECK(segments.try_lease(1).memory == nullptr);
  segments.add_readers(large.id, {});
  CHECK(segments.bytes() <= 4 * kMiB);
  for (int i = 0; i < 4; ++i)
    CHECK(segments.try_lease(kSmall).memory != nullptr);
  CHECK(segments.try_lease(kSmall).memory == nullptr);
  CHECK(segments.bytes() == 4 * kMiB);
}

TEST_CASE("free segments make room for one of another size") {
  Segments segments(4 * kMiB);
  std::uint64_t ids[4];
  for (auto& id : ids) id = segments.try_lease(kSmall).id;
  for (const auto id : ids) segments.add_readers(id, {});
  CHECK(segments.try_lease(3 * kMiB).memory != nullptr);
  CHECK(segments.bytes() <= 4 * kMiB);
}

TEST_CASE("a lease is as large as was asked for, whatever is free") {
  Segments segments(64 * kMiB);
  for (const std::uint64_t size :
       {kMiB, kMiB + 1, 3 * kMiB, 3 * kMiB + 5, 7 * kMiB, 2 * kMiB, kMiB}) {
    const auto lease = segments.try_lease(size);
    REQUIRE(lease.memory != nullptr);
    std::memset(lease.memory, 1, size);
    segments.add_readers(lease.id, {});
  }
}

TEST_CASE("more than a segment holds is refused, and so is what is none") {
  Segments segments(kMiB);
  const auto lease = segments.try_lease(kSmall);
  std::vector<char> to(2 * kMiB);
  CHECK_NOTHROW(read_segment(*lease.descriptor, 0, to.data(), kSmall));
  CHECK_THROWS_AS(read_segment(*lease.descriptor, 0, to.data(), kMiB + 1),
                  std::system_error);
  CHECK_THROWS_AS(read_segment(*lease.descriptor, kMiB, to.data(), 1),
                  std::system_error);
  CHECK_THROWS_AS(read_segment(*lease.descriptor, ~0ULL, to.data(), 1),
                  std::system_error);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Descriptor out(ends[0]);
  const Descriptor in(ends[1]);
  CHECK_THROWS_AS(read_segment(out, 0, to.data(), 1), std::system_error);
}

TEST_CASE(
    "large memory is writable to its end, and refused where there is none") {
  for (const std::uint64_t size : {0ULL, 1ULL, 4097ULL, 3ULL << 20}) {
    const LargeBuffer buffer(size);
    CHECK(buffer.size() == size);
    if (size != 0) buffer.data()[size - 1] = 'x';
  }
  CHECK_THROWS_AS(LargeBuffer(1ULL << 62), std::system_error);
}

TEST_CASE("a buffer is read behind its writer") {
  Segments segments(64 * kMiB);
  constexpr std::uint64_t kSize = 8 * kMiB;
  const auto lease = segments.try_lease(kSize);
  lease.begin();
  std::thread writer([&] {
    for (std::uint64_t done = 0; done < kSize; done += kMiB / 2) {
      std::memset(lease.memory + done, static_cast<int>(done / kMiB) + 1,
                  kMiB / 2);
      lease.written(done + kMiB / 2);
    }
  });
  std::vector<char> bytes(kSize);
  read_segment(*lease.descriptor, 0, bytes.data(), kSize);
  writer.join();
  for (std::uint64_t i = 0; i < kSize; ++i)
    if (bytes[i] != static_cast<char>(i / kMiB + 1)) FAIL("at " << i);
}

TEST_CASE("a reader does not wait for a writer that is dead") {
  Segments segments(64 * kMiB);
  const auto lease = segments.try_lease(100);
  lease.begin();
  lease.written(10);
  char to[100];
  CHECK_NOTHROW(read_segment(*lease.descriptor, 0, to, 10));
  CHECK_THROWS_WITH_AS(
      read_segment(*lease.descriptor, 0, to, 11, [] { return false; }),
      doctest::Contains("the sender died"), std::system_error);
}

TEST_CASE("a segment that is used again is ready at once") {
  Segments segments(64 * kMiB);
  const auto first = segments.try_lease(100);
  first.begin();
  segments.add_readers(first.id, {});
  const auto again = segments.try_lease(100);
  char to[100];
  CHECK_NOTHROW(read_segment(*again.descriptor, 0, to, 100));
}
