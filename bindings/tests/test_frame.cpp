// core/frame: bodies are what they were made of, and lies are refused.
#include "frame.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "nodes.h"

using namespace nodes;
using eclosion::BodyView;
using eclosion::BufferRow;
using eclosion::Bytes;
using eclosion::ChainLink;
using eclosion::FrameError;
using eclosion::FrameHeader;
using eclosion::FrameKind;

namespace {

Frame request(std::string_view method, std::size_t links, std::string_view data,
              std::vector<std::string_view> parts) {
  Frame frame;
  frame.header.kind = FrameKind::kRequest;
  std::vector<OutgoingBuffer> buffers;
  for (const std::string_view part : parts) {
    OutgoingBuffer buffer;
    buffer.memory = part.data();
    buffer.size = part.size();
    buffer.tag = static_cast<std::uint32_t>(buffers.size() + 10);
    buffers.push_back(buffer);
  }
  std::vector<ChainLink> chain;
  for (std::size_t i = 0; i < links; ++i)
    chain.push_back({i, i + 1, i + 2, std::string(i, 'n')});
  frame.body = make_body(frame.header, method, chain, data, buffers);
  return frame;
}

BodyView view(const Frame& frame) { return view_of(frame.header, *frame.body); }

std::shared_ptr<const Bytes> changed(const Bytes& body, std::size_t at,
                                     std::uint64_t value) {
  auto copy = std::make_shared<Bytes>(body.size());
  std::memcpy(copy->data(), body.data(), body.size());
  std::memcpy(copy->data() + at, &value, sizeof(value));
  return copy;
}

}  // namespace

TEST_CASE("a body has its parts at any length of what stands before them") {
  for (std::size_t length = 0; length < 20; ++length) {
    const std::string method(length, 'm');
    const Frame frame = request(method, length % 4, "data", {"one", "", "two"});
    check_header(frame.header, frame.body->size());
    const BodyView seen = view(frame);
    CHECK(seen.method == method);
    REQUIRE(seen.chain.size() == length % 4);
    for (std::size_t i = 0; i < seen.chain.size(); ++i) {
      CHECK(seen.chain[i].request == i + 2);
      CHECK(seen.chain[i].name == std::string(i, 'n'));
    }
    CHECK(seen.data == "data");
    REQUIRE(seen.buffers.size() == 3);
    // The sanitizer sees reads of rows that are not aligned.
    CHECK(seen.buffers[2].tag == 12);
    CHECK(seen.buffers[0].offset % eclosion::kBufferAlignment == 0);
    CHECK(buffer_of(frame, 0) == "one");
    CHECK(buffer_of(frame, 1).empty());
    CHECK(buffer_of(frame, 2) == "two");
  }
}

TEST_CASE("an empty body has empty parts") {
  const Frame frame = request("", 0, "", {});
  CHECK(frame.body->size() == 0);
  CHECK(view(frame).data.empty());
}

TEST_CASE("a header of no sender of ours is refused") {
  const Frame good = request("m", 0, "d", {});
  FrameHeader header = good.header;
  SUBCASE("magic") { header.magic += 1; }
  SUBCASE("kind zero") { header.kind = static_cast<FrameKind>(0); }
  SUBCASE("a kind after the last") {
    header.kind =
        static_cast<FrameKind>(static_cast<int>(FrameKind::kRevival) + 1);
  }
  SUBCASE("body") { header.body_length = 1001; }
  SUBCASE("targets of no cast") { header.target_count = 1; }
  SUBCASE("a cast without targets") { header.kind = FrameKind::kCast; }
  CHECK_THROWS_AS(check_header(header, 1000), FrameError);
  CHECK_NOTHROW(check_header(good.header, 1000));
}

TEST_CASE("lengths beyond the body are refused, however large") {
  Frame frame = request("method", 1, "data", {"buffer"});
  const std::uint32_t most = ~0U;
  SUBCASE("method") { frame.header.method_length = 0xffff; }
  SUBCASE("chain") { frame.header.chain_length = most; }
  SUBCASE("a chain that is cut") { frame.header.chain_length -= 1; }
  SUBCASE("buffers") { frame.header.buffer_count = most; }
  SUBCASE("data") { frame.header.data_length = ~0ULL; }
  SUBCASE("data that wraps around") {
    frame.header.data_length = ~0ULL - frame.body->size() + 1;
  }
  CHECK_THROWS_AS(view(frame), FrameError);
}

TEST_CASE("buffers outside of their place are refused") {
  Frame frame = request("", 0, "data", {"buffer"});
  const std::uint64_t end = frame.body->size();
  // A row is its size, its offset, then its place and its tag.
  std::size_t at = 0;
  std::uint64_t value = 0;
  SUBCASE("too large") { value = 7; }
  SUBCASE("so large that the sum wraps around") { value = ~0ULL; }
  SUBCASE("beyond the end") { at = 8, value = end + 1; }
  SUBCASE("in the table") { at = 8, value = 0; }
  SUBCASE("far away") { at = 8, value = ~0ULL; }
  SUBCASE("in no known place") { at = 16, value = 2; }
  SUBCASE("in a segment that there is not") { at = 16, value = 1; }
  frame.body = changed(*frame.body, at, value);
  CHECK_THROWS_AS(view(frame), FrameError);
}

TEST_CASE("memory of a size that cannot be is refused") {
  CHECK_THROWS_AS(Bytes(SIZE_MAX), std::bad_alloc);
  CHECK(Bytes(0).data() == nullptr);
  const Bytes bytes(100);
  CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) %
            eclosion::kBufferAlignment ==
        0);
}
