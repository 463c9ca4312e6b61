// core/greeting: who gets in, and all the ways not to.
#include "greeting.h"

#include <doctest/doctest.h>
#include <sys/epoll.h>

#include <atomic>

#include "hosts.h"

using namespace hosts;
using eclosion::Clock;
using eclosion::Gate;
using eclosion::Greeting;
using eclosion::Handshake;
using eclosion::Loop;
using nodes::kPatience;
using nodes::wait_for;

namespace {

constexpr NodeId kSelf = 8;
constexpr NodeId kPeer = 7;
constexpr std::size_t kPiece = 16 << 10;

// A greeting on a loop of its own.
struct Door {
  Gate gate;
  std::atomic<int> told{0};
  Loop loop;
  std::shared_ptr<Greeting> greeting;

  Door(int fd, Role role, const Credentials& by,
       Clock::duration at_most = kPatience, NodeId self = kSelf)
      : greeting(std::make_shared<Greeting>(loop, fd, role, self, by,
                                            [this](Greeting&) {
                                              ++told;
                                              gate.open();
                                            })) {
    loop.start();
    loop.run_and_wait([&] { greeting->start(at_most); }, kPatience);
  }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door() { loop.stop(); }

  bool over() {
    return wait_for(gate, [this] { return told > 0; });
  }
  // What was written to the socket before this has been seen after it.
  void turn() {
    for (int i = 0; i < 2; ++i) loop.run_and_wait([] {}, kPatience);
  }
};

// A door to which a test knocks.
struct Knock {
  std::array<int, 2> ends;
  Peer peer;
  Door door;
  explicit Knock(const Credentials& by, Clock::duration at_most = kPatience,
                 std::array<int, 2> ends = nodes::socket_pair())
      : ends(ends),
        peer(ends[1]),
        door(ends[0], Role::kAcceptor, by, at_most) {}
  [[nodiscard]] Greeting& greeting() const { return *door.greeting; }
};

Data pattern(std::size_t size) {
  Data bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

// Until the socket takes no more; how much it took.
std::size_t fill(int fd) {
  const Data bytes(4096);
  std::size_t filled = 0;
  for (std::size_t size = bytes.size(); size > 0; size /= 2) {
    ssize_t sent;
    while ((sent = ::send(fd, bytes.data(), size, MSG_DONTWAIT)) > 0)
      filled += static_cast<std::size_t>(sent);
  }
  return filled;
}

}  // namespace

TEST_CASE("two greetings let each other in by whatever they share") {
  for (const auto& [one, other] : all_credentials()) {
    const int listener = listening();
    const sockaddr_in address = own_address(listener);
    Door dialer(connecting(address), Role::kDialer, one, kPatience, kPeer);
    Door acceptor(accepted(listener), Role::kAcceptor, other);
    for (Door* door : {&dialer, &acceptor}) {
      REQUIRE(door->over());
      CHECK(door->greeting->why() == "");
      CHECK_FALSE(door->greeting->refused());
      CHECK(door->greeting->rest().empty());
      CHECK(door->greeting->unsent().empty());
    }
    CHECK(dialer.greeting->peer() == kSelf);
    CHECK(acceptor.greeting->peer() == kPeer);
    CHECK(dialer.greeting->address() == address_text(listener));
    const int socket = dialer.greeting->socket();
    CHECK(acceptor.greeting->address() == address_text(socket));
    CHECK((::fcntl(socket, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(dialer.greeting->take_channel()->seals() ==
          (one.identity != nullptr));
    ::close(socket);
    ::close(listener);
  }
}

TEST_CASE("a proof that comes byte by byte is one") {
  for (const auto& [one, other] : all_credentials()) {
    Knock knock(one);
    SecureChannel dialer = channel(Role::kDialer, kPeer, other);
    shake(knock.peer, dialer, 1, [&] { knock.door.turn(); });
    CHECK(dialer.state() == ChannelState::kOpen);
    CHECK(dialer.peer() == kSelf);
    REQUIRE(knock.door.over());
    CHECK(knock.greeting().why() == "");
    CHECK(knock.greeting().peer() == kPeer);
  }
}

TEST_CASE("who has another secret is refused, and told so") {
  Knock knock(credentials(kSecret));
  SecureChannel dialer =
      channel(Role::kDialer, kPeer, credentials(kOtherSecret));
  shake(knock.peer, dialer);
  CHECK(dialer.reason() ==
        "the peer refused this node: it holds another shared secret; start "
        "both with the same one");
  REQUIRE(knock.door.over());
  CHECK(knock.greeting().refused());
  CHECK(knock.greeting().why() ==
        "a peer that calls itself node 0x0000000000000007 was refused: it does "
        "not know the shared secret; start both with the same one");
  CHECK(knock.peer.read_to_end().empty());
  CHECK(knock.door.told == 1);
}

TEST_CASE("a dialer that is refused knows why, and that it will be again") {
  const auto ends = nodes::socket_pair();
  Door door(ends[0], Role::kDialer, credentials(kSecret));
  Peer peer(ends[1]);
  SecureChannel acceptor =
      channel(Role::kAcceptor, kPeer, credentials(kOtherSecret));
  shake(peer, acceptor);
  CHECK(acceptor.state() == ChannelState::kRefused);
  REQUIRE(door.over());
  CHECK(door.greeting->refused());
  CHECK(door.greeting->why() ==
        "the peer refused this node: it holds another shared secret; start "
        "both with the same one");
}

TEST_CASE("a certificate of another authority does not get in") {
  Knock knock(credentials(kSecret, "one"));
  SecureChannel dialer =
      channel(Role::kDialer, kPeer, credentials(kSecret, "stranger"));
  shake(knock.peer, dialer);
  REQUIRE(knock.door.over());
  CHECK(knock.greeting().refused());
  CHECK(knock.greeting().why().starts_with(
      "the peer was refused: its certificate is not valid for the TLS "
      "authority of this node: "));
}

TEST_CASE("what is no greeting is refused at its first bytes") {
  struct Case {
    Credentials by;
    Data bytes;
    std::string why;
  };
  const Data record = bytes_of("\x16\x03\x03\xff\xff");  // of 64 KiB
  const Case cases[] = {
      {credentials(kSecret), bytes_of("GET / HTTP/1.1\r\n"),
       "the peer does not speak this protocol: it sent 47 45 54 20 2f 20 48 "
       "54"},
      {credentials(kSecret), Data(1 << 20),
       "the peer does not speak this protocol: it sent 00 00 00 00 00 00 00 "
       "00"},
      {credentials(kSecret),
       channel(Role::kDialer, kPeer, credentials("", "one")).start(),
       "which is how TLS begins; use TLS on both sides or on neither"},
      {credentials("", "one"), bytes_of("GET / HTTP/1.1\r\n"),
       "the peer does not speak TLS; use TLS on both sides or on neither"},
      {credentials("", "one"), record + Data(1 << 20),
       "TLS with the peer failed: "},
  };
  for (const Case& each : cases) {
    Knock knock(each.by);
    // Whether it takes all of it, or has closed by then.
    knock.peer.write(each.bytes);
    REQUIRE(knock.door.over());
    CHECK(knock.greeting().refused());
    CHECK(knock.greeting().why().find(each.why) != std::string::npos);
    CHECK(knock.greeting().rest().empty());
    CHECK(knock.door.told == 1);
  }
}

TEST_CASE("a flood in place of a proof is refused, and not held (GR-2)") {
  Knock knock(credentials(kSecret));
  SecureChannel dialer = channel(Role::kDialer, kPeer, credentials(kSecret));
  knock.peer.write(dialer.start() + Data(1 << 20, std::byte{1}));
  REQUIRE(knock.door.over());
  CHECK(knock.greeting().refused());
  CHECK(knock.greeting().why().ends_with("it sent 01 01 01 01 01 01 01 01"));
  CHECK(knock.greeting().rest().empty());
}

TEST_CASE("a peer that goes midway is no peer, and may come again") {
  const Data hello =
      channel(Role::kDialer, kPeer, credentials(kSecret)).start();
  const std::pair<std::size_t, std::string> cases[] = {
      {0, "the peer closed the connection before it said who it is"},
      {20, "the peer closed the connection before it said who it is"},
      {hello.size(),
       "node 0x0000000000000007 closed the connection before it proved "
       "itself"}};
  for (const auto& [sent, why] : cases) {
    Knock knock(credentials(kSecret));
    knock.peer.write(ByteSpan(hello).first(sent));
    if (sent == hello.size())
      CHECK(knock.peer.read_all_of(sent).size() == sent);  // its own hello
    knock.peer.close();
    REQUIRE(knock.door.over());
    CHECK(knock.greeting().why() == why);
    CHECK_FALSE(knock.greeting().refused());
  }
  Knock sealed(credentials("", "one"));
  sealed.peer.close();
  REQUIRE(sealed.door.over());
  CHECK(sealed.greeting().why() ==
        "the peer closed the connection before TLS was set up");
  Knock torn(credentials(kSecret), kPatience, tcp_pair());
  torn.peer.reset();
  REQUIRE(torn.door.over());
  CHECK(torn.greeting().why() ==
        "the connection broke: Connection reset by peer");
  CHECK_FALSE(torn.greeting().refused());
}

TEST_CASE("who does not prove itself in time is cut off (GR-2)") {
  Knock knock(credentials(kSecret), std::chrono::milliseconds(50));
  const Data hello =
      channel(Role::kDialer, kPeer, credentials(kSecret)).start();
  knock.peer.write(hello);
  REQUIRE(knock.door.over());
  CHECK(knock.greeting().why() ==
        "the peer did not prove itself within 0.05 s");
  CHECK_FALSE(knock.greeting().refused());
  CHECK(knock.peer.read_to_end().size() == Handshake::kHelloSize);
}

TEST_CASE("a byte now and then does not buy time (GR-2)") {
  constexpr auto kBetween = std::chrono::milliseconds(40);
  Knock knock(credentials(kSecret), kBetween * 2);
  const Data hello =
      channel(Role::kDialer, kPeer, credentials(kSecret)).start();
  std::size_t sent = 0;
  const auto is_over = [&] { return knock.door.told > 0; };
  // Were the time to start anew, there would be bytes for two seconds.
  while (sent + 1 < hello.size() &&
         !wait_for(knock.door.gate, is_over, kBetween))
    knock.peer.write(ByteSpan(hello).subspan(sent++, 1));
  REQUIRE(knock.door.over());
  CHECK(sent + 1 < hello.size());
  CHECK(knock.greeting().why() ==
        "the peer did not prove itself within 0.08 s");
}

TEST_CASE("the time is that until the channel is open, and no longer") {
  Loop loop;
  int told = 0;
  const auto ends = nodes::socket_pair();
  const auto greeting = std::make_shared<Greeting>(
      loop, ends[0], Role::kAcceptor, kSelf, credentials(kSecret),
      [&](Greeting&) { ++told; });
  Peer peer(ends[1]);
  SecureChannel dialer = channel(Role::kDialer, kPeer, credentials(kSecret));
  loop.start();
  // One task: the loop comes to its timers after it.
  loop.run_and_wait(
      [&] {
        greeting->start(Clock::duration::zero());
        shake(peer, dialer, kPiece, [&] { greeting->on_ready(EPOLLIN); });
      },
      kPatience);
  for (int i = 0; i < 2; ++i) loop.run_and_wait([] {}, kPatience);
  CHECK(dialer.state() == ChannelState::kOpen);
  CHECK(greeting->why() == "");
  CHECK(told == 1);
  CHECK(peer.is_open());
  loop.stop();
}

TEST_CASE("what comes right behind the proof is kept, in order (GR-1)") {
  const Data plain = pattern(150'000);
  for (const auto& [one, other] : all_credentials()) {
    const auto ends = nodes::socket_pair();
    Door door(ends[0], Role::kDialer, one);
    Peer peer(ends[1]);
    SecureChannel acceptor = channel(Role::kAcceptor, kPeer, other);
    let_in(peer, acceptor, [&] { return acceptor.seal(plain); });
    peer.close();
    REQUIRE(door.over());
    REQUIRE(door.greeting->why() == "");
    // No more than one piece was taken out of the socket (GR-2).
    Data got = door.greeting->rest();
    CHECK(got.size() <= kPiece);
    const auto opened = door.greeting->take_channel();
    Peer follower(door.greeting->socket());
    for (Data more = follower.read(); !more.empty(); more = follower.read())
      got = std::move(got) +
            (opened->seals() ? opened->feed(more).plain : ByteSpan(more));
    CHECK(got == plain);
  }
}

TEST_CASE("last words that come with the proof and the end are kept") {
  for (const auto& [one, other] : all_credentials()) {
    const auto ends = nodes::socket_pair();
    Door door(ends[0], Role::kDialer, one);
    Peer peer(ends[1]);
    SecureChannel acceptor = channel(Role::kAcceptor, kPeer, other);
    let_in(peer, acceptor, [&] {
      Data words = acceptor.seal(bytes_of("last words"));
      return std::move(words) + acceptor.finish();
    });
    peer.close();
    REQUIRE(door.over());
    CHECK(door.greeting->why() == "");
    CHECK(text_of(door.greeting->rest()) == "last words");
  }
}

TEST_CASE("a greeting that is ended tells it once, and closes") {
  Knock knock(credentials(kSecret));
  knock.door.loop.run_and_wait(
      [&] {
        knock.greeting().end("enough");
        knock.greeting().end("again");
      },
      kPatience);
  CHECK(knock.greeting().why() == "enough");
  CHECK(knock.door.told == 1);
  CHECK(knock.peer.read_to_end().empty());
}

TEST_CASE("where nobody listens, it may be tried again") {
  const int listener = listening();
  const sockaddr_in address = own_address(listener);
  ::close(listener);
  Door door(connecting(address), Role::kDialer, credentials(kSecret));
  REQUIRE(door.over());
  CHECK(door.greeting->why() == "cannot connect: Connection refused");
  CHECK_FALSE(door.greeting->refused());
  CHECK(door.told == 1);
}

TEST_CASE("what a full socket does not take is written when it does") {
  const auto ends = nodes::socket_pair();
  const std::size_t filled = fill(ends[0]);
  Knock knock(credentials(kSecret), kPatience, ends);
  SecureChannel dialer = channel(Role::kDialer, kPeer, credentials(kSecret));
  knock.peer.write(dialer.start());
  knock.door.turn();
  REQUIRE(knock.peer.read_all_of(filled).size() == filled);
  const Data hello = knock.peer.read_all_of(Handshake::kHelloSize);
  CHECK(hello.size() == Handshake::kHelloSize);
  // Its proof is left to the connection that follows.
  const std::size_t again = fill(ends[0]);
  knock.peer.write(dialer.feed(hello).output);
  REQUIRE(knock.door.over());
  CHECK(knock.greeting().why() == "");
  CHECK(knock.greeting().unsent().size() == Handshake::kProofSize);
  CHECK(knock.peer.read_all_of(again).size() == again);
  CHECK(dialer.feed(knock.greeting().unsent()).state == ChannelState::kOpen);
}
