// core/connection: frames over real sockets, however full they are, and ends.
#include "connection.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <mutex>
#include <thread>

#include "nodes.h"

using namespace nodes;
using eclosion::Connection;
using eclosion::ConnectionOwner;
using eclosion::Descriptor;
using eclosion::FrameKind;
using eclosion::Loop;

namespace {

constexpr std::uint64_t kMaxBody = 64 << 20;

// Both ends of a socket, and what came out of each.
struct End : ConnectionOwner {
  Gate gate;
  std::mutex mutex;
  std::vector<Frame> frames;
  std::vector<std::string> ends;
  std::shared_ptr<Connection> connection;

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
  std::size_t count() {
    std::lock_guard lock(mutex);
    return frames.size();
  }
  bool closed() {
    std::lock_guard lock(mutex);
    return !ends.empty();
  }
};

struct Pair {
  End one;
  End other;
  Loop loop;
  explicit Pair(bool unix_socket = true) {
    const auto ends = socket_pair();
    one.connection =
        std::make_shared<Connection>(loop, one, ends[0], unix_socket, kMaxBody);
    other.connection = std::make_shared<Connection>(loop, other, ends[1],
                                                    unix_socket, kMaxBody);
    loop.start();
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { loop.stop(); }
  void start() const {
    one.connection->start();
    other.connection->start();
  }
};

Frame frame(std::uint64_t number, std::size_t size = 0) {
  Frame frame;
  frame.header.kind = FrameKind::kRequest;
  frame.header.request = number;
  frame.body = make_body(frame.header, "", {},
                         std::string(size, static_cast<char>(number)), {});
  return frame;
}

}  // namespace

TEST_CASE("frames of all sizes arrive in order, both ways at once") {
  Pair pair;
  pair.start();
  const std::vector<std::size_t> sizes{0,         1, 100,      65'536,
                                       1'000'000, 3, 5'000'000};
  std::thread back([&] {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      pair.other.connection->send(frame(i, sizes[i]));
  });
  for (std::size_t i = 0; i < sizes.size(); ++i)
    pair.one.connection->send(frame(i, sizes[i]));
  back.join();
  for (End* end : {&pair.one, &pair.other}) {
    REQUIRE(wait_for(end->gate, [&] { return end->count() == sizes.size(); }));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      CHECK(end->frames[i].header.request == i);
      CHECK(data_of(end->frames[i]) ==
            std::string(sizes[i], static_cast<char>(i)));
    }
  }
  CHECK(pair.one.connection->queued() == 0);
}

TEST_CASE("what was sent before the start, beyond a full socket, arrives") {
  Pair pair;
  for (std::uint64_t i = 0; i < 30; ++i)
    pair.one.connection->send(frame(i, 200'000));
  CHECK(pair.one.connection->queued() > 0);
  pair.start();
  CHECK(wait_for(pair.other.gate, [&] { return pair.other.count() == 30; }));
}

TEST_CASE("descriptors arrive with their frames, however many wait") {
  Pair pair;
  pair.start();
  constexpr std::uint64_t kFrames = 100;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    Frame one = frame(i, i % 10 == 0 ? 300'000 : 10);
    if (i % 2 == 0) {
      one.header.segment = i + 1;
      one.segment =
          std::make_shared<Descriptor>(::memfd_create("test", MFD_CLOEXEC));
      REQUIRE(::ftruncate(one.segment->get(), static_cast<off_t>(i)) == 0);
    }
    pair.one.connection->send(one);
  }
  REQUIRE(
      wait_for(pair.other.gate, [&] { return pair.other.count() == kFrames; }));
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    const Frame& got = pair.other.frames[i];
    REQUIRE((got.segment != nullptr) == (i % 2 == 0));
    if (got.segment == nullptr) continue;
    CHECK(::lseek(got.segment->get(), 0, SEEK_END) == static_cast<off_t>(i));
    CHECK((::fcntl(got.segment->get(), F_GETFD) & FD_CLOEXEC) != 0);
  }
}

TEST_CASE(
    "a finished connection writes all it has, then its peer sees the end") {
  Pair pair;
  pair.start();
  for (std::uint64_t i = 0; i < 20; ++i)
    pair.one.connection->send(frame(i, 300'000));
  pair.one.connection->finish();
  pair.one.connection->send(frame(99));
  REQUIRE(wait_for(pair.other.gate, [&] { return pair.other.closed(); }));
  CHECK(pair.other.count() == 20);
  // And its own end, when the peer has closed.
  CHECK(wait_for(pair.one.gate, [&] { return pair.one.closed(); }));
}

TEST_CASE("an end is told once, and nothing is sent after it") {
  Pair pair;
  pair.start();
  pair.one.connection->close("enough");
  pair.one.connection->close("again");
  REQUIRE(wait_for(pair.one.gate, [&] { return pair.one.closed(); }));
  REQUIRE(wait_for(pair.other.gate, [&] { return pair.other.closed(); }));
  pair.one.connection->send(frame(1));
  pair.other.connection->send(frame(1));
  pair.loop.run_and_wait([] {}, kPatience);
  CHECK(pair.one.ends == std::vector<std::string>{"enough"});
  CHECK(pair.other.ends.size() == 1);
  CHECK(pair.one.connection->queued() == 0);
  CHECK(pair.other.count() == 0);
}

TEST_CASE("what a peer sent before its end is read, though writing fails") {
  End owner;
  Loop loop;
  const auto ends = socket_pair();
  const auto connection =
      std::make_shared<Connection>(loop, owner, ends[0], true, kMaxBody);
  const Frame last = frame(5);
  REQUIRE(::write(ends[1], &last.header, sizeof(last.header)) ==
          sizeof(last.header));
  ::close(ends[1]);
  connection->send(frame(1));
  CHECK(connection->queued() == 0);
  loop.start();
  for (int i = 0; i < 3; ++i) loop.run_and_wait([] {}, kPatience);
  connection->start();
  REQUIRE(wait_for(owner.gate, [&] { return owner.closed(); }));
  REQUIRE(owner.count() == 1);
  CHECK(owner.frames[0].header.request == 5);
  loop.stop();
}

TEST_CASE("what a descriptor cannot do ends the connection with its reason") {
  Pair pair(false);
  pair.start();
  Frame broken = frame(1);
  // No open file: the system refuses the message for good.
  broken.segment = std::make_shared<Descriptor>(-1);
  broken.header.segment = 1;
  pair.one.connection->send(broken);
  REQUIRE(wait_for(pair.one.gate, [&] { return pair.one.closed(); }));
  CHECK(pair.one.ends[0].find("Bad file descriptor") != std::string::npos);
}

TEST_CASE("a peer that breaks the format, or claims too much, is cut off") {
  Pair pair;
  pair.start();
  Frame bad = frame(1);
  SUBCASE("magic") { bad.header.magic = 0; }
  SUBCASE("length") { bad.header.body_length = kMaxBody + 1; }
  pair.one.connection->send(frame(0));
  pair.one.connection->send(bad);
  REQUIRE(wait_for(pair.other.gate, [&] { return pair.other.closed(); }));
  CHECK(pair.other.count() == 1);
  CHECK(wait_for(pair.one.gate, [&] { return pair.one.closed(); }));
}

TEST_CASE("the rest of a dead peer is read at once, past every descriptor") {
  End owner;
  Loop loop;
  const auto ends = socket_pair();
  const auto connection =
      std::make_shared<Connection>(loop, owner, ends[0], true, kMaxBody);
  End peer_owner;
  {
    const auto peer =
        std::make_shared<Connection>(loop, peer_owner, ends[1], true, kMaxBody);
    for (std::uint64_t i = 0; i < 20; ++i) {
      Frame one = frame(i, 100);
      one.header.segment = 1;
      one.segment =
          std::make_shared<Descriptor>(::memfd_create("test", MFD_CLOEXEC));
      peer->send(one);
    }
  }
  loop.start();
  // One task: the loop has not come to wait for descriptors.
  std::size_t count = 0;
  loop.run_and_wait(
      [&] {
        connection->start();
        connection->read_rest();
        count = owner.count();
      },
      kPatience);
  CHECK(count == 20);
  CHECK(owner.closed());
  loop.stop();
}
