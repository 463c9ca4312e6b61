// core/tls over the OpenSSL of this machine, with certificates made for it.
#include "tls.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using eclosion::ByteSpan;
using eclosion::ChannelState;
using eclosion::ChannelStep;
using eclosion::Role;
using eclosion::Tls;
using eclosion::TlsError;
using eclosion::TlsFiles;
using eclosion::TlsIdentity;

namespace {

using Message = std::vector<std::byte>;

static_assert(!std::is_copy_constructible_v<Tls>);

const std::string kFolder = CERTIFICATES;

TlsFiles files_of(const std::string& name,
                  const std::string& authority = "home") {
  return {kFolder + "/" + name + ".pem", kFolder + "/" + name + ".key",
          kFolder + "/" + authority + ".pem"};
}

struct Side : Tls {
  Side(Role role, const std::string& name,
       const std::string& authority = "home")
      : Tls(role, TlsIdentity::load(files_of(name, authority))) {}
};

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

// Carry messages between the two until neither has more to say; `change` sees
// each of them on its way to the acceptor.
template <typename Change>
void connect(Tls& dialer, Tls& acceptor, Change change) {
  Message to_acceptor = dialer.start();
  CHECK(acceptor.start().empty());
  while (!to_acceptor.empty()) {
    change(to_acceptor);
    const ChannelStep step = acceptor.feed(to_acceptor);
    CHECK(step.plain.empty());
    const ChannelStep back = dialer.feed(step.output);
    CHECK(back.plain.empty());
    to_acceptor = back.output;
  }
}

void connect(Tls& dialer, Tls& acceptor) {
  connect(dialer, acceptor, [](Message&) {});
}

std::string reason_to_load(const TlsFiles& files) {
  try {
    TlsIdentity::load(files);
  } catch (const TlsError& error) {
    return error.what();
  }
  FAIL("the files were loaded");
  return {};
}

}  // namespace

TEST_CASE("tls is available with the OpenSSL of this machine") {
  CHECK(eclosion::tls_unavailable() == "");
}

TEST_CASE("two nodes of one authority talk both ways") {
  Side dialer(Role::kDialer, "one"), acceptor(Role::kAcceptor, "two");
  connect(dialer, acceptor);
  REQUIRE(dialer.state() == ChannelState::kOpen);
  REQUIRE(acceptor.state() == ChannelState::kOpen);
  const Message sealed = dialer.seal(bytes_of("a question"));
  CHECK(text_of(sealed).find("question") == std::string::npos);
  CHECK(text_of(acceptor.feed(sealed).plain) == "a question");
  const Message answer = acceptor.seal(bytes_of("an answer"));
  CHECK(text_of(dialer.feed(answer).plain) == "an answer");
}

TEST_CASE("what is fed may come in any pieces") {
  Side dialer(Role::kDialer, "one"), acceptor(Role::kAcceptor, "two");
  Message traffic = dialer.start();
  Tls* sides[] = {&acceptor, &dialer};
  for (int turn = 0; !traffic.empty(); ++turn) {
    Message output;
    for (const std::byte each : traffic) {
      const Message more = sides[turn % 2]->feed({&each, 1}).output;
      output.insert(output.end(), more.begin(), more.end());
    }
    traffic = output;
  }
  CHECK(dialer.state() == ChannelState::kOpen);
  CHECK(acceptor.state() == ChannelState::kOpen);
}

TEST_CASE("a message above the size of a slice arrives whole") {
  Side dialer(Role::kDialer, "one"), acceptor(Role::kAcceptor, "two");
  connect(dialer, acceptor);
  std::string large(5'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<char>(i * i >> 7);
  }
  CHECK(text_of(acceptor.feed(dialer.seal(bytes_of(large))).plain) == large);
}

TEST_CASE("an acceptor refuses a dialer of another authority (TLS-1)") {
  Side dialer(Role::kDialer, "stranger"), acceptor(Role::kAcceptor, "two");
  connect(dialer, acceptor);
  CHECK(acceptor.state() == ChannelState::kRefused);
  CHECK(acceptor.reason() ==
        "the peer was refused: its certificate is not valid for the TLS "
        "authority of this node: unable to get local issuer certificate");
  CHECK(dialer.state() == ChannelState::kRefused);
  CHECK(dialer.reason() ==
        "the peer refused this node: tlsv1 alert unknown ca");
}

TEST_CASE("a dialer refuses an acceptor of another authority (TLS-1)") {
  Side dialer(Role::kDialer, "one"), acceptor(Role::kAcceptor, "stranger");
  connect(dialer, acceptor);
  CHECK(dialer.state() == ChannelState::kRefused);
  CHECK(dialer.reason() ==
        "the peer was refused: its certificate is not valid for the TLS "
        "authority of this node: unable to get local issuer certificate");
  CHECK(acceptor.state() == ChannelState::kRefused);
  CHECK(acceptor.reason() ==
        "the peer refused this node: tlsv1 alert unknown ca");
}

TEST_CASE("a certificate whose time is over is refused (TLS-1)") {
  Side dialer(Role::kDialer, "expired"), acceptor(Role::kAcceptor, "two");
  connect(dialer, acceptor);
  CHECK(acceptor.state() == ChannelState::kRefused);
  CHECK(acceptor.reason() ==
        "the peer was refused: its certificate is not valid for the TLS "
        "authority of this node: certificate has expired");
}

TEST_CASE("a byte that was changed in the handshake ends it (TLS-2)") {
  Side dialer(Role::kDialer, "one"), acceptor(Role::kAcceptor, "two");
  bool changed = false;
  connect(dialer, acceptor, [&](Message& message) {
    if (!changed) message.back() ^= std::byte{1};
    changed = true;
  });
  const bool open = dialer.state() == ChannelState::kOpen ||
                    acceptor.state() == ChannelState::kOpen;
  CHECK_FALSE(open);
}

TEST_CASE("a byte that was changed later ends the channel (TLS-3)") {
  Side dialer(Role::kDialer, "one"), acceptor(Role::kAcceptor, "two");
  connect(dialer, acceptor);
  Message sealed = dialer.seal(bytes_of("pay 10"));
  sealed.back() ^= std::byte{1};
  const ChannelStep step = acceptor.feed(sealed);
  CHECK(step.state == ChannelState::kRefused);
  CHECK(step.plain.empty());
  CHECK_FALSE(step.output.empty());
  CHECK(acceptor.reason() ==
        "TLS with the peer failed: decryption failed or bad record mac");
  // Nothing is taken any more.
  CHECK(acceptor.feed(dialer.seal(bytes_of("pay 10"))).plain.empty());
}

TEST_CASE("a peer that does not speak tls is refused by its first byte") {
  Side acceptor(Role::kAcceptor, "two");
  const ChannelStep step = acceptor.feed(bytes_of("GET / HTTP/1.1\r\n\r\n"));
  CHECK(step.state == ChannelState::kRefused);
  CHECK(step.output.empty());
  CHECK(acceptor.reason() ==
        "the peer does not speak TLS; use TLS on both sides or on neither");
}

TEST_CASE("a channel ends in good order, or with its connection") {
  Side dialer(Role::kDialer, "one"), acceptor(Role::kAcceptor, "two");
  connect(dialer, acceptor);
  CHECK(acceptor.feed(dialer.finish()).state == ChannelState::kClosed);
  dialer.close();
  CHECK(dialer.state() == ChannelState::kClosed);
  CHECK(acceptor.reason() == "");

  Side early(Role::kAcceptor, "two");
  early.close();
  CHECK(early.state() == ChannelState::kRefused);
  CHECK(early.reason() ==
        "the peer closed the connection before TLS was set up");
}

TEST_CASE("nothing is sealed before the channel is open (TLS-1)") {
  Side dialer(Role::kDialer, "one");
  CHECK_THROWS_WITH_AS((void)dialer.seal(bytes_of("x")),
                       "the TLS channel is not open", std::logic_error);
  CHECK_THROWS_AS((void)dialer.channel_key(), std::logic_error);
}

TEST_CASE("the two ends of a channel, and no others, have its key") {
  Side dialer(Role::kDialer, "one"), acceptor(Role::kAcceptor, "two");
  connect(dialer, acceptor);
  CHECK(dialer.channel_key() == acceptor.channel_key());
  Side other(Role::kDialer, "one"), end(Role::kAcceptor, "two");
  connect(other, end);
  CHECK(other.channel_key() != dialer.channel_key());
}

TEST_CASE("files that cannot be used are named, with the reason") {
  TlsFiles files = files_of("one");
  files.key = kFolder + "/two.key";
  CHECK(reason_to_load(files) ==
        "the TLS key " + files.key +
            " cannot be used: key values mismatch; the PEM key of the "
            "certificate is needed, without a password");

  files.key = kFolder + "/absent.key";
  CHECK(reason_to_load(files) == "the TLS key " + files.key +
                                     " cannot be read: No such file or "
                                     "directory");

  files = files_of("one");
  files.certificate = kFolder + "/one.key";
  CHECK(reason_to_load(files).starts_with(
      "the TLS certificate " + files.certificate + " cannot be used: "));

  files = files_of("one");
  files.authority = kFolder + "/one.key";
  CHECK(reason_to_load(files).starts_with(
      "the TLS authority " + files.authority + " cannot be used: "));
}

TEST_CASE("a key behind a password is an error and not a question") {
  TlsFiles files = files_of("one");
  files.key = kFolder + "/locked.key";
  CHECK(reason_to_load(files).starts_with("the TLS key " + files.key +
                                          " cannot be used: "));
}
