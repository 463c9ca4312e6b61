// The mutual challenge-response that opens a connection between two nodes.
//
// A pure state machine: bytes in, bytes out, no socket and no clock. The one
// who connected says hello, the one who was connected to answers with its own
// hello, then the first proves that it knows the shared secret, then the
// other. A listener so proves nothing to a stranger.
//
//   hello    kind, magic (8), version, role, node id (8), nonce (32)
//   proof    kind, HMAC(secret, label, role of the prover, both hellos)
//   refusal  kind, code, version; ends the handshake, and is not answered
//
// HS-1 No byte of the secret leaves this class, in messages or in reasons.
// HS-2 A proof holds for one prover, its role, both node ids and both nonces:
//      neither an old nor a reflected one is taken.
// HS-3 The size of a message follows from its first byte; nothing is allocated
//      by what a peer claims, and at most one message is held.
// HS-4 A refusal is final, and a peer is known only when it proved itself.
//
// What the handshake does not do: it does not hide or seal what follows it. A
// network that may alter bytes under way needs TLS below it (tls.h). It also
// does not bound the time of a silent peer; the caller does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sha256.h"

namespace eclosion {

enum class Role : std::uint8_t { kDialer = 1, kAcceptor = 2 };

enum class HandshakeState { kNeedMore, kDone, kRefused };

struct HandshakeStep {
  HandshakeState state;
  // To be sent now, also when the peer was refused: it tells it why.
  std::vector<std::byte> output;
  // How much of the input belonged to the handshake. When it is done, the rest
  // is the first of what the peer sent after it.
  std::size_t consumed;
};

// Fills its argument with bytes that nobody can guess and that never repeat.
using NonceSource = std::function<void(std::span<std::byte>)>;

// Those of the kernel. Throws std::system_error.
void random_bytes(std::span<std::byte> to);

class Handshake {
 public:
  static constexpr std::size_t kMinSecretSize = 16;
  static constexpr std::size_t kHelloSize = 51;
  static constexpr std::size_t kProofSize = 33;
  static constexpr std::size_t kRefusalSize = 3;
  static constexpr std::uint8_t kVersion = 1;

  // The secret is used here and not kept. Throws std::invalid_argument for a
  // secret below kMinSecretSize and for node 0, and what the source throws.
  Handshake(Role role, ByteSpan secret, std::uint64_t node,
            const NonceSource& nonces = random_bytes);
  // A copy would use a nonce twice.
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  // Throw std::invalid_argument for what the constructor does not take.
  static void require_long(ByteSpan secret);
  static void require_node(std::uint64_t node);

  // What is sent before anything was received: nothing by an acceptor.
  [[nodiscard]] std::vector<std::byte> start() const;

  // Take what was received, cut anywhere. Consumes nothing once the handshake
  // is done or refused.
  [[nodiscard]] HandshakeStep feed(ByteSpan data);

  // The peer closed the connection: refuses, unless the handshake is done.
  void close();

  [[nodiscard]] HandshakeState state() const noexcept { return state_; }
  // The node that proved itself; 0 until the handshake is done.
  [[nodiscard]] std::uint64_t peer() const noexcept { return peer_; }
  // Why it was refused, for the log; empty unless it was.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  using Hello = std::array<std::byte, kHelloSize>;

  [[nodiscard]] std::size_t wanted() const noexcept;
  [[nodiscard]] bool is_expected() const noexcept;
  void handle();
  void handle_hello();
  void handle_proof();
  void handle_refusal();
  void send_proof();
  void refuse(std::uint8_t code, std::string reason);
  void end(std::string reason);
  [[nodiscard]] Digest proof_of(Role prover);
  [[nodiscard]] std::string first_bytes(ByteSpan rest) const;

  Role role_;
  HmacSha256 code_;
  Hello own_hello_;
  Hello peer_hello_{};
  bool greeted_ = false;  // the hello of the peer came and was accepted
  std::array<std::byte, kHelloSize> message_{};  // the one being received
  std::size_t filled_ = 0;
  HandshakeState state_ = HandshakeState::kNeedMore;
  std::uint64_t peer_ = 0;
  std::string reason_;
  std::vector<std::byte> output_;
};

}  // namespace eclosion
