// What stands between the bytes of a connection between hosts and its frames:
// TLS when the program uses it, and in it the handshake that tells which node
// the peer is. There is none between processes of one host.
//
// With both a TLS identity and a shared secret, a peer needs both. Without TLS
// what follows the handshake passes unchanged: the caller can let go of the
// channel once it is open, and read and write the connection itself.
//
// SC-1 No byte is handed up before the peer has proved itself.
// SC-2 The proof inside TLS holds for this channel alone: a certified node in
//      the middle cannot pass it on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "handshake.h"
#include "tls.h"

namespace eclosion {

class SecureChannel {
 public:
  // `identity` is null without TLS, `secret` empty without a shared secret;
  // throws std::invalid_argument when there is neither, and for a secret or a
  // node that Handshake refuses.
  SecureChannel(Role role, std::uint64_t node, ByteSpan secret,
                std::shared_ptr<const TlsIdentity> identity);

  // What is sent before anything was received.
  [[nodiscard]] std::vector<std::byte> start();
  // Takes all of what was received, cut anywhere. Throws only when the machine
  // has no random bytes or no memory.
  [[nodiscard]] ChannelStep feed(ByteSpan data);
  // What to send for these bytes; the channel must be open.
  [[nodiscard]] std::vector<std::byte> seal(ByteSpan plain);
  // Whether seal() changes bytes; when not, it need not be called.
  [[nodiscard]] bool seals() const noexcept { return tls_.has_value(); }
  // What to send last.
  [[nodiscard]] std::vector<std::byte> finish();
  // The connection ended below the channel.
  void close();

  [[nodiscard]] ChannelState state() const noexcept { return state_; }
  // The node that proved itself; 0 before.
  [[nodiscard]] std::uint64_t peer() const noexcept {
    return handshake_ ? handshake_->peer() : 0;
  }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  void begin_handshake(ChannelStep& step);
  void shake(ChannelStep& step);
  void send(std::vector<std::byte>& output, ByteSpan message);
  void refuse(const std::string& reason);

  Role role_;
  std::uint64_t node_;
  HmacSha256 secret_;
  std::optional<Tls> tls_;
  std::optional<Handshake> handshake_;  // inside TLS: once that is open
  ChannelState state_ = ChannelState::kNeedMore;
  std::string reason_;
};

}  // namespace eclosion
