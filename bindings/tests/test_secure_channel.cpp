// core/secure_channel: pairs with a secret, with certificates and with both.
#include "secure_channel.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using eclosion::ByteSpan;
using eclosion::ChannelState;
using eclosion::ChannelStep;
using eclosion::Handshake;
using eclosion::Role;
using eclosion::SecureChannel;
using eclosion::TlsIdentity;

namespace {

using Message = std::vector<std::byte>;

constexpr std::string_view kSecret = "correct horse battery staple";
constexpr std::string_view kOtherSecret = "correct horse battery stable";

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

std::shared_ptr<const TlsIdentity> identity(const std::string& name) {
  const std::string folder = CERTIFICATES;
  return TlsIdentity::load({folder + "/" + name + ".pem",
                            folder + "/" + name + ".key",
                            folder + "/home.pem"});
}

struct Dialer : SecureChannel {
  explicit Dialer(std::string_view secret, const std::string& name = "")
      : SecureChannel(Role::kDialer, 7, bytes_of(secret),
                      name.empty() ? nullptr : identity(name)) {}
};

struct Acceptor : SecureChannel {
  explicit Acceptor(std::string_view secret, const std::string& name = "")
      : SecureChannel(Role::kAcceptor, 8, bytes_of(secret),
                      name.empty() ? nullptr : identity(name)) {}
};

Message feed(SecureChannel& to, const Message& message) {
  const ChannelStep step = to.feed(message);
  CHECK(step.plain.empty());
  CHECK(step.state == to.state());
  return step.output;
}

void connect(SecureChannel& dialer, SecureChannel& acceptor) {
  Message message = dialer.start();
  CHECK(acceptor.start().empty());
  while (!message.empty()) {
    message = feed(acceptor, message);
    if (!message.empty()) message = feed(dialer, message);
  }
}

void check_open(SecureChannel& dialer, SecureChannel& acceptor) {
  connect(dialer, acceptor);
  CHECK(dialer.state() == ChannelState::kOpen);
  CHECK(acceptor.state() == ChannelState::kOpen);
  CHECK(dialer.peer() == 8);
  CHECK(acceptor.peer() == 7);
  CHECK(text_of(acceptor.feed(dialer.seal(bytes_of("to"))).plain) == "to");
  CHECK(text_of(dialer.feed(acceptor.seal(bytes_of("fro"))).plain) == "fro");
}

}  // namespace

TEST_CASE("a channel opens with a secret and leaves what follows as it is") {
  Dialer dialer(kSecret);
  Acceptor acceptor(kSecret);
  check_open(dialer, acceptor);
  CHECK_FALSE(dialer.seals());
  CHECK(text_of(dialer.seal(bytes_of("plain"))) == "plain");
}

TEST_CASE("a channel opens with certificates alone and seals what follows") {
  Dialer dialer("", "one");
  Acceptor acceptor("", "two");
  check_open(dialer, acceptor);
  CHECK(dialer.seals());
  CHECK(text_of(dialer.seal(bytes_of("hidden"))).find("hidden") ==
        std::string::npos);
}

TEST_CASE("a channel opens with certificates and a secret") {
  Dialer dialer(kSecret, "one");
  Acceptor acceptor(kSecret, "two");
  check_open(dialer, acceptor);
}

TEST_CASE("a certificate does not stand in for the secret (SC-1)") {
  for (const std::string_view secret : {kOtherSecret, std::string_view()}) {
    Dialer dialer(secret, "one");
    Acceptor acceptor(kSecret, "two");
    connect(dialer, acceptor);
    CHECK(acceptor.state() == ChannelState::kRefused);
    CHECK(acceptor.peer() == 0);
    CHECK(dialer.reason() ==
          "the peer refused this node: it holds another shared secret; start "
          "both with the same one");
  }
}

TEST_CASE("the secret does not stand in for a certificate (SC-1)") {
  Dialer dialer(kSecret, "stranger");
  Acceptor acceptor(kSecret, "two");
  connect(dialer, acceptor);
  CHECK(acceptor.state() == ChannelState::kRefused);
  CHECK(dialer.state() == ChannelState::kRefused);
  CHECK(dialer.reason() ==
        "the peer refused this node: tlsv1 alert unknown ca");
}

TEST_CASE("one side alone with tls tells both what to change") {
  Dialer plain(kSecret);
  Acceptor sealed(kSecret, "two");
  connect(plain, sealed);
  CHECK(sealed.reason() ==
        "the peer does not speak TLS; use TLS on both sides or on neither");
  plain.close();
  CHECK(plain.state() == ChannelState::kRefused);

  Dialer other("", "one");
  Acceptor listener(kSecret);
  connect(other, listener);
  CHECK(listener.reason().ends_with(
      "which is how TLS begins; use TLS on both sides or on neither"));
}

TEST_CASE("what comes with the last message of the handshake is kept (SC-1)") {
  for (const char* name : {"", "one"}) {
    Dialer dialer(kSecret, name);
    Acceptor acceptor(kSecret, name);
    Message message = dialer.start();
    while (acceptor.state() == ChannelState::kNeedMore) {
      message = feed(acceptor, message);
      if (acceptor.state() == ChannelState::kNeedMore) {
        message = feed(dialer, message);
      }
    }
    const Message first = acceptor.seal(bytes_of("first"));
    message.insert(message.end(), first.begin(), first.end());
    CHECK(text_of(dialer.feed(message).plain) == "first");
    CHECK(dialer.state() == ChannelState::kOpen);
  }
}

// The one in the middle has a certificate, but not the secret.
TEST_CASE("a proof that is passed on from another channel fails (SC-2)") {
  Dialer dialer(kSecret, "one");
  Acceptor acceptor(kSecret, "two");
  eclosion::Tls to_dialer(Role::kAcceptor, identity("two"));
  eclosion::Tls to_acceptor(Role::kDialer, identity("one"));
  const auto carry = [](auto& end, eclosion::Tls& middle, Message message) {
    Message plain;
    while (!message.empty()) {
      const ChannelStep step = middle.feed(message);
      plain.insert(plain.end(), step.plain.begin(), step.plain.end());
      message = step.output.empty() ? Message() : end.feed(step.output).output;
    }
    return plain;
  };
  Message hello = carry(dialer, to_dialer, dialer.start());
  Message begin = to_acceptor.start();
  carry(acceptor, to_acceptor, acceptor.feed(begin).output);
  REQUIRE(hello.size() == Handshake::kHelloSize);
  Message reply = carry(acceptor, to_acceptor,
                        acceptor.feed(to_acceptor.seal(hello)).output);
  REQUIRE(reply.size() == Handshake::kHelloSize);
  Message proof =
      carry(dialer, to_dialer, dialer.feed(to_dialer.seal(reply)).output);
  REQUIRE(proof.size() == Handshake::kProofSize);
  CHECK(acceptor.feed(to_acceptor.seal(proof)).state == ChannelState::kRefused);
  CHECK(acceptor.peer() == 0);
}

TEST_CASE("a refused channel takes and gives nothing more") {
  Acceptor acceptor(kSecret);
  const Message stranger = {std::byte{'x'}};
  CHECK(acceptor.feed(stranger).state == ChannelState::kRefused);
  const ChannelStep step = acceptor.feed(Dialer(kSecret).start());
  CHECK(step.output.empty());
  CHECK(step.plain.empty());
  CHECK_THROWS_WITH_AS((void)acceptor.seal(bytes_of("x")),
                       "the channel is not open", std::logic_error);
}

TEST_CASE("a byte that was changed on its way closes a sealed channel") {
  Dialer dialer("", "one");
  Acceptor acceptor("", "two");
  connect(dialer, acceptor);
  Message message = dialer.seal(bytes_of("pay 10"));
  message.back() ^= std::byte{1};
  CHECK(acceptor.feed(message).state == ChannelState::kRefused);
  CHECK(acceptor.reason() ==
        "TLS with the peer failed: decryption failed or bad record mac");
}

TEST_CASE("a channel that is closed early says what it waited for") {
  Dialer plain(kSecret);
  plain.close();
  CHECK(plain.reason() ==
        "the peer closed the connection before it said who it is");
  Dialer sealed("", "one");
  sealed.close();
  CHECK(sealed.reason() ==
        "the peer closed the connection before TLS was set up");
}

TEST_CASE("an open channel ends in good order") {
  Dialer dialer("", "one");
  Acceptor acceptor("", "two");
  connect(dialer, acceptor);
  CHECK(acceptor.feed(dialer.finish()).state == ChannelState::kClosed);
  CHECK(acceptor.reason() == "");
  dialer.close();
  CHECK(dialer.state() == ChannelState::kClosed);
}

TEST_CASE("a channel with neither secret nor certificates is not made") {
  CHECK_THROWS_WITH_AS(
      Dialer(""),
      "a connection between hosts has neither a shared secret nor TLS "
      "certificates; give the same secret, or certificates of one authority, "
      "to all hosts",
      std::invalid_argument);
  CHECK_THROWS_AS(Dialer("short", "one"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      SecureChannel(Role::kDialer, 0, bytes_of(""), identity("one")),
      "node 0 cannot have connections", std::invalid_argument);
}
