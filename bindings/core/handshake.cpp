// Messages, checks and reasons of the handshake of handshake.h.
#include "handshake.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

enum Kind : std::uint8_t { kHello = 0xE0, kProof = 0xE1, kRefusal = 0xE2 };

// Codes of refusals: parts of the protocol, never given a new meaning.
enum Code : std::uint8_t {
  kOtherVersion = 1,
  kSameRole = 2,
  kNotAPeer = 3,
  kWrongProof = 4,
};

// Where the parts of a hello are.
constexpr std::size_t kMagicAt = 1;
constexpr std::size_t kVersionAt = 9;
constexpr std::size_t kRoleAt = 10;
constexpr std::size_t kNodeAt = 11;
constexpr std::size_t kNonceAt = 19;
constexpr std::size_t kNonceSize = 32;
static_assert(kNonceAt + kNonceSize == Handshake::kHelloSize);

constexpr std::string_view kMagic = "eclosion";
constexpr std::string_view kProofLabel = "eclosion handshake proof";
static_assert(kMagicAt + kMagic.size() == kVersionAt);

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::uint8_t number(std::byte value) {
  return std::to_integer<std::uint8_t>(value);
}

void store_node(std::byte* to, std::uint64_t node) {
  for (std::size_t i = 0; i < 8; ++i) {
    to[i] = static_cast<std::byte>(node >> (56 - 8 * i) & 0xff);
  }
}

std::uint64_t load_node(const std::byte* from) {
  std::uint64_t node = 0;
  for (std::size_t i = 0; i < 8; ++i) node = node << 8 | number(from[i]);
  return node;
}

std::string in_hex(std::uint64_t node) {
  char text[19];
  std::snprintf(text, sizeof(text), "0x%016llx",
                static_cast<unsigned long long>(node));
  return text;
}

std::string described(std::uint8_t code, std::uint8_t peer_version) {
  switch (code) {
    case kOtherVersion:
      return "it speaks version " + std::to_string(peer_version) +
             " of the protocol, this side version " +
             std::to_string(Handshake::kVersion) +
             "; run the same release on both";
    case kSameRole:
      return "both sides of the connection say that they have the same role";
    case kNotAPeer:
      return "it takes this node for itself, or for none";
    case kWrongProof:
      return "it holds another shared secret; start both with the same one";
    default:
      return "it gives code " + std::to_string(code) +
             ", which this release does not know; run the same release on both";
  }
}

}  // namespace

void random_bytes(std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t got = getrandom(to.data(), to.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw std::system_error(errno, std::generic_category(),
                              "the kernel gave no random bytes");
    }
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

Handshake::Handshake(Role role, ByteSpan secret, std::uint64_t node,
                     const NonceSource& nonces)
    : role_(role), code_(secret) {
  require_long(secret);
  require_node(node);
  own_hello_[0] = std::byte{kHello};
  std::ranges::copy(bytes_of(kMagic), own_hello_.begin() + kMagicAt);
  own_hello_[kVersionAt] = std::byte{kVersion};
  own_hello_[kRoleAt] = static_cast<std::byte>(role);
  store_node(own_hello_.data() + kNodeAt, node);
  nonces(std::span(own_hello_).subspan<kNonceAt, kNonceSize>());
}

void Handshake::require_long(ByteSpan secret) {
  if (secret.size() >= kMinSecretSize) return;
  throw std::invalid_argument(
      "the shared secret has " + std::to_string(secret.size()) +
      " bytes, and fewer than " + std::to_string(kMinSecretSize) +
      " can be guessed; use 32 random bytes");
}

void Handshake::require_node(std::uint64_t node) {
  if (node == 0) throw std::invalid_argument("node 0 cannot have connections");
}

std::vector<std::byte> Handshake::start() const {
  if (role_ == Role::kAcceptor) return {};
  return {own_hello_.begin(), own_hello_.end()};
}

HandshakeStep Handshake::feed(ByteSpan data) {
  std::size_t consumed = 0;
  while (state_ == HandshakeState::kNeedMore && consumed < data.size()) {
    const std::size_t taken =
        std::min(wanted() - filled_, data.size() - consumed);
    std::ranges::copy(data.subspan(consumed, taken),
                      message_.begin() + filled_);
    filled_ += taken;
    consumed += taken;
    if (!is_expected()) {
      // Not answered: whoever speaks something else would not understand.
      end("the peer does not speak this protocol: it sent " +
          first_bytes(data.subspan(consumed)));
    } else if (filled_ == wanted()) {
      handle();
      filled_ = 0;
    }
  }
  return {state_, std::exchange(output_, {}), consumed};
}

void Handshake::close() {
  if (state_ != HandshakeState::kNeedMore) return;
  end(greeted_ ? "node " + in_hex(load_node(peer_hello_.data() + kNodeAt)) +
                     " closed the connection before it proved itself"
               : "the peer closed the connection before it said who it is");
}

// How many bytes of the message there must be before there is more to do.
std::size_t Handshake::wanted() const noexcept {
  if (filled_ == 0) return 1;
  if (message_[0] == std::byte{kHello}) return kHelloSize;
  return message_[0] == std::byte{kProof} ? kProofSize : kRefusalSize;
}

// Whether what is there of the message can become one that may come now. It
// is asked early, so that a stranger who sends little is not waited for.
bool Handshake::is_expected() const noexcept {
  if (message_[0] == std::byte{kRefusal}) return true;
  if (greeted_) return message_[0] == std::byte{kProof};
  if (message_[0] != std::byte{kHello}) return false;
  const std::size_t there = std::min(filled_ - kMagicAt, kMagic.size());
  return std::equal(message_.begin() + kMagicAt,
                    message_.begin() + kMagicAt + there,
                    bytes_of(kMagic).begin());
}

void Handshake::handle() {
  switch (number(message_[0])) {
    case kHello:
      return handle_hello();
    case kProof:
      return handle_proof();
    default:
      return handle_refusal();
  }
}

void Handshake::handle_hello() {
  const std::uint8_t version = number(message_[kVersionAt]);
  if (version != kVersion) {
    return refuse(kOtherVersion,
                  "the peer was refused: " + described(kOtherVersion, version));
  }
  const Role other = role_ == Role::kDialer ? Role::kAcceptor : Role::kDialer;
  if (message_[kRoleAt] != static_cast<std::byte>(other)) {
    return refuse(kSameRole,
                  "the peer was refused: it does not say the role that the "
                  "other side of this connection has");
  }
  const std::uint64_t node = load_node(message_.data() + kNodeAt);
  if (node == 0 || node == load_node(own_hello_.data() + kNodeAt) ||
      std::equal(message_.begin() + kNonceAt, message_.end(),
                 own_hello_.begin() + kNonceAt)) {
    return refuse(kNotAPeer, "the peer was refused: it calls itself node " +
                                 in_hex(node) +
                                 ", or sends back what it was sent");
  }
  peer_hello_ = message_;
  greeted_ = true;
  if (role_ == Role::kAcceptor) {
    output_.assign(own_hello_.begin(), own_hello_.end());
  } else {
    send_proof();
  }
}

void Handshake::handle_proof() {
  const Role prover = role_ == Role::kDialer ? Role::kAcceptor : Role::kDialer;
  const std::uint64_t node = load_node(peer_hello_.data() + kNodeAt);
  Digest proof;
  std::copy_n(message_.begin() + 1, proof.size(), proof.begin());
  if (!same_digest(proof, proof_of(prover))) {
    const std::string reason =
        "a peer that calls itself node " + in_hex(node) +
        " was refused: it does not know the shared secret; start both with "
        "the same one";
    // An acceptor that sent its proof is done and reads no refusals.
    return role_ == Role::kAcceptor ? refuse(kWrongProof, reason) : end(reason);
  }
  if (role_ == Role::kAcceptor) send_proof();
  peer_ = node;
  state_ = HandshakeState::kDone;
}

void Handshake::handle_refusal() {
  end("the peer refused this node: " +
      described(number(message_[1]), number(message_[2])));
}

void Handshake::send_proof() {
  const Digest proof = proof_of(role_);
  output_.push_back(std::byte{kProof});
  output_.insert(output_.end(), proof.begin(), proof.end());
}

void Handshake::refuse(std::uint8_t code, std::string reason) {
  output_ = {std::byte{kRefusal}, std::byte{code}, std::byte{kVersion}};
  end(std::move(reason));
}

void Handshake::end(std::string reason) {
  state_ = HandshakeState::kRefused;
  reason_ = std::move(reason);
}

Digest Handshake::proof_of(Role prover) {
  const bool dialer = role_ == Role::kDialer;
  code_.update(bytes_of(kProofLabel));
  code_.update(std::array{static_cast<std::byte>(prover)});
  code_.update(dialer ? own_hello_ : peer_hello_);
  code_.update(dialer ? peer_hello_ : own_hello_);
  return code_.finish();
}

std::string Handshake::first_bytes(ByteSpan rest) const {
  std::vector<std::byte> shown(message_.begin(), message_.begin() + filled_);
  shown.insert(shown.end(), rest.begin(),
               rest.begin() + std::min<std::size_t>(rest.size(), 8));
  shown.resize(std::min<std::size_t>(shown.size(), 8));
  std::string text;
  for (const std::byte each : shown) {
    char hex[4];
    std::snprintf(hex, sizeof(hex), "%02x ", number(each));
    text += hex;
  }
  text.pop_back();
  const bool tls = !greeted_ && message_[0] == std::byte{0x16};
  return tls ? text +
                   ", which is how TLS begins; use TLS on both sides or on "
                   "neither"
             : text;
}

}  // namespace eclosion
