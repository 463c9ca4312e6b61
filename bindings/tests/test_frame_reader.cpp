// core/frame_reader: any pieces, descriptors in their order, large claims.
#include "frame_reader.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using eclosion::Descriptor;
using eclosion::Frame;
using eclosion::FrameError;
using eclosion::FrameHeader;
using eclosion::FrameKind;
using eclosion::FrameReader;

namespace {

constexpr std::uint64_t kMaxBody = 1 << 30;

std::string bytes_of(const FrameHeader& header, std::string_view body) {
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  return bytes.append(body);
}

std::string frame(std::uint64_t request, std::string_view body,
                  std::uint64_t segment = 0) {
  FrameHeader header;
  header.kind = FrameKind::kRequest;
  header.request = request;
  header.body_length = body.size();
  header.segment = segment;
  return bytes_of(header, body);
}

void feed(FrameReader& reader, std::string_view bytes, std::size_t piece) {
  while (!bytes.empty()) {
    const auto space = reader.space();
    REQUIRE_FALSE(space.empty());
    const std::size_t size = std::min({piece, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), size);
    reader.filled(size);
    bytes.remove_prefix(size);
  }
}

struct Received {
  std::vector<Frame> frames;
  FrameReader reader{
      kMaxBody, [this](Frame frame) { frames.push_back(std::move(frame)); }};
};

std::shared_ptr<Descriptor> open_file() {
  return std::make_shared<Descriptor>(
      ::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// Pages of this process in memory.
long resident_bytes() {
  long size = 0;
  long resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  REQUIRE(file != nullptr);
  const int read = std::fscanf(file, "%ld %ld", &size, &resident);
  std::fclose(file);
  REQUIRE(read == 2);
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

TEST_CASE("frames come out of pieces of any size") {
  const std::string large(200'000, 'l');
  // Around the size of the reader's own buffer.
  const std::string even((64 << 10) - sizeof(FrameHeader), 'e');
  const std::string stream = frame(1, "") + frame(2, "small") +
                             frame(3, large) + frame(4, even) +
                             frame(5, even + "x") + frame(6, "end");
  for (const std::size_t piece : {1, 7, 88, 4096, 65536, 1'000'000}) {
    Received received;
    feed(received.reader, stream, piece);
    REQUIRE(received.frames.size() == 6);
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(received.frames[i].header.request == i + 1);
    const Frame& third = received.frames[2];
    CHECK(std::string_view(third.body->data(), third.body->size()) == large);
    CHECK(received.frames[4].body->size() == even.size() + 1);
  }
}

TEST_CASE("a descriptor goes with the frame that names a segment") {
  Received received;
  const auto first = open_file();
  const auto second = open_file();
  received.reader.add_descriptor(first);
  received.reader.add_descriptor(second);
  feed(received.reader,
       frame(1, "plain") + frame(2, "a", 5) + frame(3, "") + frame(4, "b", 6),
       1000);
  REQUIRE(received.frames.size() == 4);
  CHECK(received.frames[0].segment == nullptr);
  CHECK(received.frames[1].segment == first);
  CHECK(received.frames[2].segment == nullptr);
  CHECK(received.frames[3].segment == second);
}

TEST_CASE("a segment without its descriptor is refused") {
  Received received;
  CHECK_THROWS_AS(feed(received.reader, frame(1, "a", 5), 1000), FrameError);
}

TEST_CASE("descriptors without end are refused, and closed") {
  const int before = open_file()->get();
  {
    Received received;
    CHECK_THROWS_AS(
        [&] {
          for (int i = 0; i < 2000; ++i)
            received.reader.add_descriptor(open_file());
        }(),
        FrameError);
  }
  CHECK(open_file()->get() == before);
}

TEST_CASE("a claim of a large body takes no memory before its bytes come") {
  FrameHeader header;
  header.kind = FrameKind::kRequest;
  header.body_length = 1 << 30;
  std::vector<std::unique_ptr<Received>> claims;
  const long before = resident_bytes();
  for (int i = 0; i < 4; ++i) {
    claims.push_back(std::make_unique<Received>());
    feed(claims.back()->reader, bytes_of(header, "the first bytes"), 1000);
  }
  // A sanitizer has a shadow of an eighth.
  CHECK(resident_bytes() - before < 1 << 30);
}

TEST_CASE("a claim over the limit is refused at once") {
  FrameHeader header;
  header.kind = FrameKind::kRequest;
  header.body_length = kMaxBody + 1;
  Received received;
  CHECK_THROWS_AS(feed(received.reader, bytes_of(header, ""), 1000),
                  FrameError);
}
