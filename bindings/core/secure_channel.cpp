// How TLS and the handshake follow each other.
#include "secure_channel.h"

#include <stdexcept>
#include <utility>

namespace eclosion {
namespace {

void append(std::vector<std::byte>& to, ByteSpan from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

SecureChannel::SecureChannel(Role role, std::uint64_t node, ByteSpan secret,
                             std::shared_ptr<const TlsIdentity> identity)
    : role_(role), node_(node), secret_(secret) {
  if (identity == nullptr && secret.empty()) {
    throw std::invalid_argument(
        "a connection between hosts has neither a shared secret nor TLS "
        "certificates; give the same secret, or certificates of one "
        "authority, to all hosts");
  }
  if (!secret.empty()) Handshake::require_long(secret);
  Handshake::require_node(node);
  if (identity == nullptr) {
    handshake_.emplace(role, secret, node);
  } else {
    tls_.emplace(role, std::move(identity));
  }
}

std::vector<std::byte> SecureChannel::start() {
  return tls_ ? tls_->start() : handshake_->start();
}

ChannelStep SecureChannel::feed(ByteSpan data) {
  ChannelStep step{state_, {}, {}};
  if (state_ == ChannelState::kRefused || state_ == ChannelState::kClosed) {
    return step;
  }
  if (tls_) {
    step = tls_->feed(data);
    if (tls_->state() == ChannelState::kOpen && !handshake_) {
      begin_handshake(step);
    }
  } else {
    append(step.plain, data);
  }
  if (state_ == ChannelState::kNeedMore) shake(step);
  if (tls_ && tls_->state() == ChannelState::kRefused) refuse(tls_->reason());
  if (tls_ && tls_->state() == ChannelState::kClosed) close();
  step.state = state_;
  return step;
}

std::vector<std::byte> SecureChannel::seal(ByteSpan plain) {
  if (state_ != ChannelState::kOpen) {
    throw std::logic_error("the channel is not open");
  }
  if (tls_) return tls_->seal(plain);
  return {plain.begin(), plain.end()};
}

std::vector<std::byte> SecureChannel::finish() {
  return tls_ ? tls_->finish() : std::vector<std::byte>();
}

void SecureChannel::close() {
  if (state_ == ChannelState::kOpen) state_ = ChannelState::kClosed;
  if (state_ != ChannelState::kNeedMore) return;
  if (handshake_) {
    handshake_->close();
    refuse(handshake_->reason());
  } else {
    refuse("the peer closed the connection before TLS was set up");
  }
}

// The key of the channel is the secret of the handshake, mixed with the shared
// one: an end of another channel does not have it.
void SecureChannel::begin_handshake(ChannelStep& step) {
  secret_.update(tls_->channel_key());
  handshake_.emplace(role_, secret_.finish(), node_);
  send(step.output, handshake_->start());
}

void SecureChannel::shake(ChannelStep& step) {
  const std::vector<std::byte> received = std::exchange(step.plain, {});
  if (!handshake_) return;
  const HandshakeStep shaken = handshake_->feed(received);
  send(step.output, shaken.output);
  if (shaken.state == HandshakeState::kRefused) refuse(handshake_->reason());
  if (shaken.state != HandshakeState::kDone) return;
  state_ = ChannelState::kOpen;
  append(step.plain, ByteSpan(received).subspan(shaken.consumed));
}

void SecureChannel::send(std::vector<std::byte>& output, ByteSpan message) {
  if (message.empty()) return;
  if (!tls_) return append(output, message);
  // A peer that has ended the channel is told nothing more.
  if (tls_->state() == ChannelState::kOpen) append(output, tls_->seal(message));
}

void SecureChannel::refuse(const std::string& reason) {
  if (state_ == ChannelState::kRefused) return;
  state_ = ChannelState::kRefused;
  reason_ = reason;
}

}  // namespace eclosion
