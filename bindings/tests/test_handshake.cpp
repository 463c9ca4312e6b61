// core/handshake: honest pairs, and each way a peer can be none.
#include "handshake.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using eclosion::ByteSpan;
using eclosion::Handshake;
using eclosion::HandshakeState;
using eclosion::HandshakeStep;
using eclosion::HmacSha256;
using eclosion::NonceSource;
using eclosion::Role;

namespace {

using Message = std::vector<std::byte>;

static_assert(!std::is_copy_constructible_v<Handshake>);

constexpr std::string_view kSecret = "correct horse battery staple";
constexpr std::string_view kOtherSecret = "correct horse battery stable";
constexpr std::uint64_t kDialing = 0x1122334455667788;
constexpr std::uint64_t kAccepting = 0xfedcba9876543210;

// Where the parts of a hello are on the wire.
constexpr std::size_t kVersionAt = 9, kRoleAt = 10, kNodeAt = 11, kNonceAt = 19;

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

NonceSource nonces_of(int seed) {
  return [seed](std::span<std::byte> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = static_cast<std::byte>((seed + 3 * static_cast<int>(i)) & 255);
    }
  };
}

struct Dialer : Handshake {
  explicit Dialer(std::string_view secret = kSecret)
      : Handshake(Role::kDialer, bytes_of(secret), kDialing, nonces_of(1)) {}
};

struct Acceptor : Handshake {
  explicit Acceptor(std::string_view secret = kSecret, int nonces = 2)
      : Handshake(Role::kAcceptor, bytes_of(secret), kAccepting,
                  nonces_of(nonces)) {}
};

// Feed all of a message, which is to be consumed whole.
Message answer(Handshake& to, ByteSpan message) {
  HandshakeStep step = to.feed(message);
  CHECK(step.consumed == message.size());
  CHECK(step.state == to.state());
  return step.output;
}

Message message_of(std::initializer_list<int> values) {
  Message message;
  for (const int value : values) {
    message.push_back(static_cast<std::byte>(value));
  }
  return message;
}

bool contains(ByteSpan text, ByteSpan part) {
  return !std::ranges::search(text, part).empty();
}

void check_refused(const Handshake& side, std::string_view reason) {
  CHECK(side.state() == HandshakeState::kRefused);
  CHECK(side.reason() == reason);
  CHECK(side.peer() == 0);
}

}  // namespace

TEST_CASE("a pair with one secret knows each other after four messages") {
  Dialer dialer;
  Acceptor acceptor;
  CHECK(acceptor.start().empty());
  const Message hello = dialer.start();
  CHECK(hello.size() == Handshake::kHelloSize);
  const Message reply = answer(acceptor, hello);
  CHECK(reply.size() == Handshake::kHelloSize);
  const Message proof = answer(dialer, reply);
  CHECK(proof.size() == Handshake::kProofSize);
  CHECK(acceptor.peer() == 0);
  const Message last = answer(acceptor, proof);
  CHECK(last.size() == Handshake::kProofSize);
  CHECK(acceptor.state() == HandshakeState::kDone);
  CHECK(acceptor.peer() == kDialing);
  CHECK(dialer.state() == HandshakeState::kNeedMore);
  CHECK(answer(dialer, last).empty());
  CHECK(dialer.state() == HandshakeState::kDone);
  CHECK(dialer.peer() == kAccepting);
  CHECK(dialer.reason().empty());
}

TEST_CASE("the bytes on the wire are those of version 1") {
  Dialer dialer;
  Acceptor acceptor;
  const Message hello = dialer.start();
  CHECK(hello[0] == std::byte{0xE0});
  CHECK(contains(ByteSpan(hello).subspan(1, 8), bytes_of("eclosion")));
  CHECK(hello[kVersionAt] == std::byte{1});
  CHECK(hello[kRoleAt] == std::byte{1});
  CHECK(hello[kNodeAt] == std::byte{0x11});
  CHECK(hello[kNonceAt - 1] == std::byte{0x88});
  CHECK(hello[kNonceAt] == std::byte{1});
  const Message reply = answer(acceptor, hello);

  HmacSha256 code(bytes_of(kSecret));
  code.update(bytes_of("eclosion handshake proof\x01"));
  code.update(hello);
  code.update(reply);
  const eclosion::Digest expected = code.finish();
  const Message proof = answer(dialer, reply);
  CHECK(proof[0] == std::byte{0xE1});
  CHECK(std::ranges::equal(ByteSpan(proof).subspan(1), expected));
}

TEST_CASE("messages may come in any pieces") {
  for (const std::size_t piece : {1, 2, 7, 33, 50}) {
    Dialer dialer;
    Acceptor acceptor;
    Message to_acceptor = dialer.start();
    Handshake* sides[] = {&acceptor, &dialer};
    Message traffic = to_acceptor;
    for (int turn = 0; turn < 4; ++turn) {
      Message output;
      for (std::size_t at = 0; at < traffic.size(); at += piece) {
        const ByteSpan part =
            ByteSpan(traffic).subspan(at, std::min(piece, traffic.size() - at));
        const Message more = answer(*sides[turn % 2], part);
        output.insert(output.end(), more.begin(), more.end());
      }
      traffic = output;
    }
    CHECK(acceptor.state() == HandshakeState::kDone);
    CHECK(dialer.state() == HandshakeState::kDone);
  }
}

TEST_CASE("what follows the handshake is left to its reader") {
  Dialer dialer;
  Acceptor acceptor;
  const Message proof = answer(dialer, answer(acceptor, dialer.start()));
  Message last = answer(acceptor, proof);
  last.push_back(std::byte{42});
  CHECK(dialer.feed(last).consumed == Handshake::kProofSize);
  CHECK(dialer.state() == HandshakeState::kDone);
  const HandshakeStep after = dialer.feed(last);
  CHECK(after.consumed == 0);
  CHECK(after.state == HandshakeState::kDone);
  CHECK(after.output.empty());
}

TEST_CASE("a dialer with another secret is refused and told why (HS-4)") {
  Dialer dialer(kOtherSecret);
  Acceptor acceptor;
  const Message proof = answer(dialer, answer(acceptor, dialer.start()));
  const Message refusal = answer(acceptor, proof);
  CHECK(refusal == message_of({0xE2, 4, 1}));
  check_refused(acceptor,
                "a peer that calls itself node 0x1122334455667788 was refused: "
                "it does not know the shared secret; start both with the same "
                "one");
  CHECK(answer(dialer, refusal).empty());
  check_refused(dialer,
                "the peer refused this node: it holds another shared secret; "
                "start both with the same one");
}

TEST_CASE("an acceptor with another secret gets no further (HS-4)") {
  Dialer dialer;
  Acceptor impostor;
  const Message proof = answer(dialer, answer(impostor, dialer.start()));
  Message last = answer(impostor, proof);
  last.back() ^= std::byte{1};
  CHECK(answer(dialer, last).empty());
  check_refused(dialer,
                "a peer that calls itself node 0xfedcba9876543210 was refused: "
                "it does not know the shared secret; start both with the same "
                "one");
}

TEST_CASE("a proof fails when any bit of either hello was changed (HS-2)") {
  for (std::size_t at = kNodeAt; at < Handshake::kHelloSize; ++at) {
    Dialer dialer;
    Acceptor acceptor;
    Message hello = dialer.start();
    hello[at] ^= std::byte{0x80};
    Message reply = answer(acceptor, hello);
    answer(acceptor, answer(dialer, reply));
    CHECK(acceptor.state() == HandshakeState::kRefused);

    Dialer second;
    Acceptor honest;
    reply = answer(honest, second.start());
    reply[at] ^= std::byte{0x80};
    answer(honest, answer(second, reply));
    CHECK(honest.state() == HandshakeState::kRefused);
  }
}

TEST_CASE("the proof of an earlier connection is refused (HS-2)") {
  Dialer dialer;
  Acceptor first;
  const Message hello = dialer.start();
  const Message proof = answer(dialer, answer(first, hello));
  answer(first, proof);
  REQUIRE(first.state() == HandshakeState::kDone);
  Acceptor second(kSecret, 3);
  answer(second, hello);
  answer(second, proof);
  CHECK(second.state() == HandshakeState::kRefused);
}

TEST_CASE("the dialer's own proof is refused when it comes back (HS-2)") {
  Dialer dialer;
  Acceptor acceptor;
  const Message proof = answer(dialer, answer(acceptor, dialer.start()));
  answer(dialer, proof);
  CHECK(dialer.state() == HandshakeState::kRefused);
}

TEST_CASE("a hello that comes back is refused (HS-2)") {
  const std::string not_a_peer = "the peer was refused: it calls itself node ";
  const std::string sent_back = ", or sends back what it was sent";
  Dialer dialer;
  CHECK(answer(dialer, dialer.start()) == message_of({0xE2, 2, 1}));
  check_refused(dialer,
                "the peer was refused: it does not say the role that the other "
                "side of this connection has");

  Dialer second;
  Message hello = second.start();
  hello[kRoleAt] = std::byte{2};
  CHECK(answer(second, hello) == message_of({0xE2, 3, 1}));
  check_refused(second, not_a_peer + "0x1122334455667788" + sent_back);

  Dialer third;
  hello[kNodeAt] = std::byte{0x99};
  answer(third, hello);
  check_refused(third, not_a_peer + "0x9922334455667788" + sent_back);
}

TEST_CASE("a hello of node 0 is refused") {
  Dialer dialer;
  Acceptor acceptor;
  Message hello = dialer.start();
  std::fill_n(hello.begin() + kNodeAt, 8, std::byte{0});
  CHECK(answer(acceptor, hello) == message_of({0xE2, 3, 1}));
  CHECK(acceptor.state() == HandshakeState::kRefused);
}

TEST_CASE("another version is refused by name, and so is known to both") {
  Dialer dialer;
  Acceptor acceptor;
  Message hello = dialer.start();
  hello[kVersionAt] = std::byte{7};
  CHECK(answer(acceptor, hello) == message_of({0xE2, 1, 1}));
  check_refused(acceptor,
                "the peer was refused: it speaks version 7 of the protocol, "
                "this side version 1; run the same release on both");
  answer(dialer, message_of({0xE2, 1, 7}));
  check_refused(dialer,
                "the peer refused this node: it speaks version 7 of the "
                "protocol, this side version 1; run the same release on both");
}

TEST_CASE("a refusal for an unknown reason is shown by its code") {
  Dialer dialer;
  answer(dialer, message_of({0xE2, 200, 1}));
  check_refused(dialer,
                "the peer refused this node: it gives code 200, which this "
                "release does not know; run the same release on both");
}

TEST_CASE("a stranger is refused by its first bytes and not answered") {
  Acceptor web;
  const HandshakeStep step = web.feed(bytes_of("GET / HTTP/1.1\r\n"));
  CHECK(step.state == HandshakeState::kRefused);
  CHECK(step.output.empty());
  check_refused(
      web,
      "the peer does not speak this protocol: it sent 47 45 54 20 2f 20 48 54");

  Acceptor tls;
  (void)tls.feed(message_of({0x16, 3, 1, 2}));
  check_refused(
      tls,
      "the peer does not speak this protocol: it sent 16 03 01 02, which is "
      "how TLS begins; use TLS on both sides or on neither");

  Acceptor close_call;
  const HandshakeStep half = close_call.feed(message_of({0xE0, 'e', 'c', 'h'}));
  CHECK(half.state == HandshakeState::kRefused);
  CHECK(close_call.reason() ==
        "the peer does not speak this protocol: it sent e0 65 63 68");
}

TEST_CASE("a proof before the hello is no beginning") {
  Acceptor acceptor;
  (void)acceptor.feed(Message(Handshake::kProofSize, std::byte{0xE1}));
  check_refused(
      acceptor,
      "the peer does not speak this protocol: it sent e1 e1 e1 e1 e1 e1 e1 e1");
}

TEST_CASE("a second hello is not taken for a proof") {
  Dialer dialer;
  Acceptor acceptor;
  const Message hello = dialer.start();
  answer(acceptor, hello);
  CHECK(acceptor.feed(hello).consumed == 1);
  check_refused(
      acceptor,
      "the peer does not speak this protocol: it sent e0 65 63 6c 6f 73 69 6f");
}

TEST_CASE("nothing is consumed or sent once refused (HS-4)") {
  Acceptor acceptor;
  (void)acceptor.feed(bytes_of("x"));
  const HandshakeStep step = acceptor.feed(Dialer().start());
  CHECK(step.state == HandshakeState::kRefused);
  CHECK(step.consumed == 0);
  CHECK(step.output.empty());
}

TEST_CASE("a peer that closes early is refused with what it was about") {
  Dialer silent;
  silent.close();
  check_refused(silent,
                "the peer closed the connection before it said who it is");

  Dialer dialer;
  Acceptor acceptor;
  const Message proof = answer(dialer, answer(acceptor, dialer.start()));
  acceptor.close();
  check_refused(acceptor,
                "node 0x1122334455667788 closed the connection before it "
                "proved itself");
  CHECK(acceptor.feed(proof).consumed == 0);
}

TEST_CASE("a close after the handshake changes nothing") {
  Dialer dialer;
  Acceptor acceptor;
  answer(acceptor, answer(dialer, answer(acceptor, dialer.start())));
  acceptor.close();
  CHECK(acceptor.state() == HandshakeState::kDone);
  CHECK(acceptor.peer() == kDialing);
}

TEST_CASE("the secret is in no message and no reason (HS-1)") {
  Dialer dialer;
  Acceptor acceptor(kOtherSecret);
  const Message hello = dialer.start();
  const Message reply = answer(acceptor, hello);
  const Message proof = answer(dialer, reply);
  const Message refusal = answer(acceptor, proof);
  answer(dialer, refusal);
  for (const Message& message : {hello, reply, proof, refusal}) {
    CHECK_FALSE(contains(message, bytes_of("horse")));
  }
  CHECK_FALSE(contains(bytes_of(dialer.reason()), bytes_of("horse")));
  CHECK_FALSE(contains(bytes_of(acceptor.reason()), bytes_of("horse")));
}

TEST_CASE("a secret that is too short and node 0 are refused at once") {
  CHECK_THROWS_WITH_AS(
      Dialer("swordfish"),
      "the shared secret has 9 bytes, and fewer than 16 can be guessed; use 32 "
      "random bytes",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(Handshake(Role::kDialer, bytes_of(kSecret), 0),
                       "node 0 cannot have connections", std::invalid_argument);
}

TEST_CASE("every handshake has a nonce of its own") {
  const Handshake first(Role::kDialer, bytes_of(kSecret), kDialing);
  const Handshake second(Role::kDialer, bytes_of(kSecret), kDialing);
  const Message left = first.start(), right = second.start();
  CHECK(std::equal(left.begin(), left.begin() + kNonceAt, right.begin()));
  CHECK(left != right);
}
