// core/segments and core/segment_reader: leases, their readers, the limit, and
// lies about sizes.
#include "segments.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "large_buffer.h"
#include "segment_reader.h"

using eclosion::BufferRow;
using eclosion::Descriptor;
using eclosion::Frame;
using eclosion::LargeBuffer;
using eclosion::SegmentReader;
using eclosion::Segments;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;
// The smallest segment, of one MiB, is enough for it.
constexpr std::uint64_t kSmall = kMiB / 2;
constexpr eclosion::NodeId kSender = 7;

Frame message_with(const Segments::Lease& lease) {
  Frame message;
  message.header.source_node = kSender;
  message.header.segment = lease.id;
  message.segment = lease.descriptor;
  return message;
}

void read(SegmentReader& reader, const Segments::Lease& lease,
          std::uint64_t offset, char* to, std::uint64_t size) {
  reader.read(message_with(lease), BufferRow{size, offset, 1, 0}, to);
}

// How much memory a file has.
std::int64_t held_by(const Descriptor& segment) {
  struct stat facts{};
  REQUIRE(::fstat(segment.get(), &facts) == 0);
  return facts.st_blocks * 512;
}

}  // namespace

TEST_CASE("what is written into a lease is read by its descriptor") {
  SegmentReader reader;
  Segments segments(8 * kMiB);
  const auto lease = segments.try_lease(100'000);
  REQUIRE(lease.memory != nullptr);
  std::memcpy(lease.memory + 1000, "hello", 5);
  char text[5];
  read(reader, lease, 1000, text, 5);
  CHECK(std::string_view(text, 5) == "hello");
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

TEST_CASE("a peak of leases is not kept") {
  constexpr std::uint64_t kPeak = 300;
  Segments segments(1024 * kMiB);
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = open_files();
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = 0; i < kPeak; ++i)
    ids.push_back(segments.try_lease(kSmall).id);
  CHECK(segments.bytes() == kPeak * kMiB);
  for (const auto id : ids) segments.add_readers(id, {});
  CHECK(segments.bytes() <= 64 * kMiB);
  CHECK(open_files() - before <= 64);
  // Those of another size are kept beside them.
  const auto large = segments.try_lease(16 * kMiB);
  segments.add_readers(large.id, {});
  CHECK(segments.try_lease(16 * kMiB).memory == large.memory);
  CHECK(segments.try_lease(kSmall).memory != nullptr);
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
  SegmentReader reader;
  Segments segments(kMiB);
  const auto lease = segments.try_lease(kSmall);
  std::vector<char> to(2 * kMiB);
  CHECK_NOTHROW(read(reader, lease, 0, to.data(), kSmall));
  CHECK_THROWS_AS(read(reader, lease, 0, to.data(), kMiB + 1),
                  std::system_error);
  CHECK_THROWS_AS(read(reader, lease, kMiB, to.data(), 1), std::system_error);
  CHECK_THROWS_AS(read(reader, lease, ~0ULL, to.data(), 1), std::system_error);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Descriptor in(ends[1]);
  Segments::Lease pipe = lease;
  pipe.descriptor = std::make_shared<Descriptor>(ends[0]);
  CHECK_THROWS_AS(read(reader, pipe, 0, to.data(), 1), std::system_error);
  Segments::Lease unsealed = lease;
  unsealed.descriptor =
      std::make_shared<Descriptor>(::memfd_create("unsealed", MFD_CLOEXEC));
  REQUIRE(::ftruncate(unsealed.descriptor->get(), 1 << 20) == 0);
  CHECK_THROWS_WITH_AS(read(reader, unsealed, 0, to.data(), 1),
                       doctest::Contains("take its memory away"),
                       std::system_error);
}

TEST_CASE(
    "large memory is writable to its end, and refused where there is none") {
  for (const std::uint64_t size : {0ULL, 1ULL, 4097ULL, 3ULL << 20}) {
    const LargeBuffer buffer(size);
    CHECK(buffer.size() == size);
    if (size != 0) buffer.data()[size - 1] = 'x';
  }
  CHECK_THROWS_AS(LargeBuffer(1ULL << 62), std::bad_alloc);
}

TEST_CASE("a buffer is read behind its writer") {
  SegmentReader reader;
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
    lease.finish();
  });
  std::vector<char> bytes(kSize);
  read(reader, lease, 0, bytes.data(), kSize);
  writer.join();
  for (std::uint64_t i = 0; i < kSize; ++i)
    if (bytes[i] != static_cast<char>(i / kMiB + 1)) FAIL("at " << i);
}

TEST_CASE("a reader does not wait for a writer that is dead") {
  Segments segments(64 * kMiB);
  SegmentReader reader;
  const auto lease = segments.try_lease(100);
  lease.begin();
  lease.written(10);
  char to[100];
  CHECK_NOTHROW(read(reader, lease, 0, to, 10));
  // Its lock went with it; this process would not see its own.
  lease.finish();
  lease.page->ready.store(10);
  lease.page->writer.store(1);
  CHECK_THROWS_AS(read(reader, lease, 0, to, 11), eclosion::SenderDied);
}

TEST_CASE("a segment that is used again is ready at once") {
  SegmentReader reader;
  Segments segments(64 * kMiB);
  const auto first = segments.try_lease(100);
  first.begin();
  segments.add_readers(first.id, {});
  const auto again = segments.try_lease(100);
  char to[100];
  CHECK_NOTHROW(read(reader, again, 0, to, 100));
}

TEST_CASE("a segment that is read again has what it was written with last") {
  Segments segments(64 * kMiB);
  SegmentReader reader;
  char to[1];
  for (char round = 'a'; round < 'e'; ++round) {
    const auto lease = segments.try_lease(100);
    lease.memory[99] = round;
    segments.add_readers(lease.id, {{kSender, 1}});
    read(reader, lease, 99, to, 1);
    CHECK(to[0] == round);
    segments.release(lease.id, kSender);
  }
}

TEST_CASE("what readers have mapped holds no memory once its sender drops it") {
  Segments segments(kMiB);
  SegmentReader reader;
  const auto first = segments.try_lease(kSmall);
  std::memset(first.memory, 1, kSmall);
  char to[1];
  read(reader, first, 0, to, 1);
  CHECK(held_by(*first.descriptor) >= static_cast<std::int64_t>(kSmall));
  segments.add_readers(first.id, {});
  // It is too small, and there is no room for both.
  REQUIRE(segments.try_lease(4 * kMiB).memory != nullptr);
  CHECK(held_by(*first.descriptor) == 0);
}

TEST_CASE("the segments of the dead are not kept, and those of others are") {
  Segments segments(64 * kMiB);
  SegmentReader reader;
  const auto lease = segments.try_lease(100);
  char to[1];
  read(reader, lease, 0, to, 1);
  const auto mapped = [] {
    std::ifstream maps("/proc/self/maps");
    const std::string text(std::istreambuf_iterator<char>(maps), {});
    std::size_t count = 0;
    for (std::size_t at = text.find("eclosion-message"); at != text.npos;
         at = text.find("eclosion-message", at + 1))
      ++count;
    return count;
  };
  const auto before = mapped();
  reader.forget(kSender + 1);
  CHECK(mapped() == before);
  reader.forget(kSender);
  CHECK(mapped() < before);
}

TEST_CASE("a reader that has very many segments keeps the last ones mapped") {
  Segments segments(400 * kMiB);
  SegmentReader reader;
  std::vector<Segments::Lease> leases;
  char to[1];
  for (char i = 0; i < 100; ++i) {
    leases.push_back(segments.try_lease(100));
    leases.back().memory[0] = i;
    read(reader, leases.back(), 0, to, 1);
  }
  for (char i = 0; i < 100; ++i) {
    read(reader, leases[static_cast<std::size_t>(i)], 0, to, 1);
    CHECK(to[0] == i);
  }
}
