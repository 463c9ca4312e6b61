// core/connection with a channel that seals: nothing is lost, nothing is read
// under way, and nothing that was altered gets through.
#include <doctest/doctest.h>

#include <mutex>
#include <thread>

#include "connection.h"
#include "hosts.h"

using namespace hosts;
using eclosion::Connection;
using eclosion::ConnectionOwner;
using eclosion::Frame;
using eclosion::FrameHeader;
using eclosion::FrameKind;
using eclosion::Gate;
using eclosion::Loop;
using nodes::data_of;
using nodes::kPatience;
using nodes::wait_for;

namespace {

constexpr std::uint64_t kMaxBody = 64 << 20;

using ChannelPtr = std::unique_ptr<SecureChannel>;

// Both ends of a channel that is open.
struct Channels {
  ChannelPtr one;
  ChannelPtr other;

  explicit Channels(const Credentials& by = credentials(kSecret, "one"))
      : one(std::make_unique<SecureChannel>(Role::kDialer, 7, by.secret,
                                            by.identity)),
        other(std::make_unique<SecureChannel>(Role::kAcceptor, 8, by.secret,
                                              by.identity)) {
    Data message = one->start();
    while (one->state() == ChannelState::kNeedMore)
      message = one->feed(other->feed(message).output).output;
    REQUIRE(other->state() == ChannelState::kOpen);
  }
};

// One end, and what came out of it.
struct End : ConnectionOwner {
  Gate gate;
  std::mutex mutex;
  std::vector<Frame> frames;
  std::vector<std::string> ends;
  std::shared_ptr<Connection> connection;

  End(Loop& loop, int fd, ChannelPtr channel, const Data& unsent = {})
      : connection(
            std::make_shared<Connection>(loop, *this, fd, false, kMaxBody)) {
    connection->secure(std::move(channel), unsent);
  }
  void on_frame(Connection&, Frame frame) override {
    std::lock_guard lock(mutex);
    frames.push_back(std::move(frame));
    gate.open();
  }
  void on_closed(Connection&, const std::string& why) override {
    std::lock_guard lock(mutex);
    ends.push_back(why);
    gate.open();
  }
  bool has(std::size_t count) {
    return wait_for(gate, [&] {
      std::lock_guard lock(mutex);
      return frames.size() >= count;
    });
  }
  // Why it was closed; waits until it is.
  std::string why() {
    const bool closed = wait_for(gate, [&] {
      std::lock_guard lock(mutex);
      return !ends.empty();
    });
    return closed ? ends.front() : "it is open";
  }
};

std::array<int, 2> small_pair() {
  const auto ends = nodes::socket_pair();
  const int size = 4096;
  for (const int fd : ends)
    ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
  return ends;
}

// Two connections with each other.
struct Pair {
  Loop loop;
  End one;
  End other;
  explicit Pair(std::array<int, 2> ends, Channels channels = Channels())
      : one(loop, ends[0], std::move(channels.one)),
        other(loop, ends[1], std::move(channels.other)) {
    loop.start();
    one.connection->start();
    other.connection->start();
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { loop.stop(); }
};

// A connection whose other end is in the hands of a test.
struct Half {
  Loop loop;
  ChannelPtr theirs;
  End end;
  Peer peer;
  explicit Half(std::array<int, 2> ends = nodes::socket_pair(),
                Channels channels = Channels(), const Data& unsent = {})
      : theirs(std::move(channels.other)),
        end(loop, ends[0], std::move(channels.one), unsent),
        peer(ends[1]) {
    loop.start();
  }
  Half(const Half&) = delete;
  Half& operator=(const Half&) = delete;
  ~Half() { loop.stop(); }
};

std::string text(std::uint64_t number, std::size_t size) {
  std::string data(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    data[i] = static_cast<char>(i * 31 + i / 65'521 + number);
  return data;
}

Frame frame(std::uint64_t number, std::string_view data) {
  Frame frame;
  frame.header.kind = FrameKind::kRequest;
  frame.header.request = number;
  frame.body = make_body(frame.header, "", {}, data, {});
  return frame;
}
Frame frame(std::uint64_t number, std::size_t size) {
  return frame(number, text(number, size));
}
// Whether the frames are those that frame() makes of these sizes, in order.
void check(const std::vector<Frame>& frames,
           const std::vector<std::size_t>& sizes) {
  REQUIRE(frames.size() == sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(frames[i].header.request == i);
    CHECK((data_of(frames[i]) == text(i, sizes[i])));
  }
}

const std::vector<std::size_t> kSizes{
    0, 1,         100,    65'447, 65'448,  65'449, 131'000,   1'000'003,
    3, 5'000'000, 16'384, 0,      200'000, 7,      9'000'001, 12};

}  // namespace

TEST_CASE("sealed frames of all sizes arrive in order, both ways at once") {
  std::array<int, 2> ends;
  SUBCASE("through a network") { ends = tcp_pair(); }
  SUBCASE("through sockets that hold little") { ends = small_pair(); }
  Pair pair(ends);
  std::thread back([&] {
    for (std::size_t i = 0; i < kSizes.size(); ++i)
      pair.other.connection->send(frame(i, kSizes[i]));
  });
  for (std::size_t i = 0; i < kSizes.size(); ++i)
    pair.one.connection->send(frame(i, kSizes[i]));
  back.join();
  for (End* end : {&pair.one, &pair.other}) {
    REQUIRE(end->has(kSizes.size()));
    check(end->frames, kSizes);
    CHECK(end->ends.empty());
  }
}

TEST_CASE("threads that send at once through one channel do not mix") {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 50;
  Pair pair(nodes::socket_pair());
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        pair.one.connection->send(frame(t * kEach + i, i * 501));
        pair.other.connection->send(frame(i, 10));
      }
    });
  for (std::thread& thread : threads) thread.join();
  REQUIRE(pair.one.has(kThreads * kEach));
  REQUIRE(pair.other.has(kThreads * kEach));
  std::array<std::uint64_t, kThreads> next{};
  for (const Frame& got : pair.other.frames) {
    const std::uint64_t number = got.header.request;
    CHECK(number % kEach == next[number / kEach]++);
    CHECK((data_of(got) == text(number, number % kEach * 501)));
  }
}

TEST_CASE("what goes through a channel that seals cannot be read under way") {
  const std::string words = "attack at dawn";
  for (const bool seals : {true, false}) {
    Half half(nodes::socket_pair(),
              Channels(credentials(kSecret, seals ? "one" : "")));
    half.end.connection->start();
    half.end.connection->send(frame(1, words));
    half.end.connection->finish();
    const Data sent = half.peer.read_to_end();
    CHECK((text_of(sent).find(words) == std::string::npos) == seals);
    CHECK((half.theirs->feed(sent).plain == wire(frame(1, words))));
    CHECK(half.theirs->seals() == seals);
    // The end is told inside the channel, too.
    CHECK((half.theirs->state() == ChannelState::kClosed) == seals);
    CHECK(half.end.connection->heard());
  }
}

TEST_CASE("what a greeting left to send goes before all frames") {
  Channels channels;
  const Data unsent = channels.one->seal(bytes_of("unsent"));
  Half half(nodes::socket_pair(), std::move(channels), unsent);
  SUBCASE("when there are some already") {
    half.end.connection->send(frame(1, "x"));
    half.end.connection->start();
  }
  SUBCASE("when there are none") { half.end.connection->start(); }
  SUBCASE("when there will be none") {
    half.end.connection->finish();
    half.end.connection->start();
  }
  const Data plain =
      half.theirs->feed(half.peer.read_all_of(unsent.size())).plain;
  CHECK(text_of(plain) == "unsent");
  half.end.connection->finish();
}

TEST_CASE("what came with the proof is the beginning of what follows") {
  const std::vector<std::size_t> sizes{10, 100'000, 20};
  Data all;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    all = std::move(all) + wire(frame(i, sizes[i]));
  // Cut in a header, in a body, between two.
  for (const std::size_t cut : {50UL, 30'000UL, 98UL}) {
    Half half;
    half.peer.write(half.theirs->seal(ByteSpan(all).subspan(cut)));
    half.loop.run_and_wait(
        [&] {
          half.end.connection->start();
          half.end.connection->begin_with(ByteSpan(all).first(cut));
        },
        kPatience);
    REQUIRE(half.end.has(sizes.size()));
    check(half.end.frames, sizes);
  }
}

TEST_CASE("a sealed connection that is finished writes all it has") {
  SUBCASE("frames that wait") {
    Pair pair(small_pair());
    for (std::size_t i = 0; i < kSizes.size(); ++i)
      pair.one.connection->send(frame(i, kSizes[i]));
    pair.one.connection->finish();
    pair.one.connection->send(frame(99, 1));
    CHECK(pair.other.why() == "the peer closed the connection");
    check(pair.other.frames, kSizes);
    CHECK(pair.one.why() == "the peer closed the connection");
  }
  SUBCASE("bytes of a frame that is sealed already") {
    Half half(small_pair());
    half.end.connection->start();
    // One piece, and more than the sockets take: nothing is queued but bytes.
    half.end.connection->send(frame(0, 60'000));
    REQUIRE(half.end.connection->queued() == 0);
    half.end.connection->finish();
    const Data sent = half.peer.read_to_end();
    CHECK((half.theirs->feed(sent).plain == wire(frame(0, 60'000))));
  }
}

TEST_CASE("a peer that goes midway leaves whole frames, and is told once") {
  Half half;
  half.end.connection->start();
  const Data sealed = half.theirs->seal(wire(frame(0, 1000)));
  const Data cut = half.theirs->seal(wire(frame(1, 500'000)));
  half.peer.write(sealed + ByteSpan(cut).first(cut.size() / 2));
  half.peer.close();
  CHECK(half.end.why() == "the peer closed the connection");
  check(half.end.frames, {1000});
  half.end.connection->send(frame(2, 1));
  half.end.connection->close("again");
  for (int i = 0; i < 2; ++i) half.loop.run_and_wait([] {}, kPatience);
  CHECK(half.end.ends.size() == 1);
  CHECK(half.end.connection->queued() == 0);
}

TEST_CASE("a peer that goes while much is written ends the connection") {
  Half half(tcp_pair());
  half.end.connection->start();
  for (std::uint64_t i = 0; i < 4; ++i)
    half.end.connection->send(frame(i, 5'000'000));
  CHECK(half.end.connection->queued() > 0);
  half.peer.reset();
  const std::string why = half.end.why();
  // As it is first met, by reading or by writing.
  CHECK((why == "the connection broke: Connection reset by peer" ||
         why == "the peer closed the connection"));
  CHECK(half.end.ends.size() == 1);
  CHECK(half.end.connection->queued() == 0);
}

TEST_CASE("a peer that ends the channel is heard to the end") {
  Half half;
  half.end.connection->start();
  Data last = half.theirs->seal(wire(frame(0, 70'000)));
  half.peer.write(std::move(last) + half.theirs->finish());
  CHECK(half.end.why() == "the peer closed the connection");
  check(half.end.frames, {70'000});
}

TEST_CASE("bytes that were altered under way close that connection alone") {
  Half altered;
  Half intact;
  for (Half* half : {&altered, &intact}) half->end.connection->start();
  const Data before = altered.theirs->seal(wire(frame(0, 1000)));
  Data bytes = altered.theirs->seal(wire(frame(1, 1000)));
  std::string why =
      "TLS with the peer failed: decryption failed or bad record mac";
  SUBCASE("one bit") { bytes[bytes.size() / 2] ^= std::byte{4}; }
  SUBCASE("the mark of integrity") { bytes.back() ^= std::byte{1}; }
  SUBCASE("a record twice") { bytes = before; }
  SUBCASE("a record left out") {
    bytes = altered.theirs->seal(wire(frame(2, 1000)));
  }
  SUBCASE("bytes that were never sealed") {
    bytes = wire(frame(1, 1000));
    why = "TLS with the peer failed: ";
  }
  altered.peer.write(before + bytes);
  altered.peer.write(altered.theirs->seal(wire(frame(3, 1000))));
  CHECK(altered.end.why().starts_with(why));
  check(altered.end.frames, {1000});
  CHECK(altered.end.ends.size() == 1);
  // What the other one says still comes, and goes.
  intact.peer.write(intact.theirs->seal(wire(frame(0, 10))));
  REQUIRE(intact.end.has(1));
  intact.end.connection->send(frame(0, 10));
  CHECK((intact.theirs->feed(intact.peer.read()).plain == wire(frame(0, 10))));
}

TEST_CASE("a frame that breaks the format is none for being sealed") {
  Half half;
  half.end.connection->start();
  Frame bad = frame(1, 10);
  bad.header.body_length = kMaxBody + 1;
  half.peer.write(half.theirs->seal(wire(frame(0, 10)) + wire(bad)));
  CHECK(half.end.why().starts_with("frame of 67108865 bytes"));
  check(half.end.frames, {10});
}
