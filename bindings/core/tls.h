// TLS 1.3 between two nodes, as a filter of bytes over a connection.
//
// Both sides show a certificate and both check that it was issued by one
// authority, which is the program's own: whoever has a certificate of it is a
// peer, under whatever name. Which node it is, is told by the handshake that
// goes on inside (secure_channel.h).
//
// TLS-1 Nothing is handed up before the peer's certificate was verified.
// TLS-2 A failure is final, and is told to the peer.
// TLS-3 What follows is sealed: a byte that was changed ends the connection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "handshake.h"
#include "sha256.h"
#include "tls_library.h"

namespace eclosion {

// Paths of PEM files: the node's certificate with those that lead to the
// authority, its key without a password, and the authority's certificate.
struct TlsFiles {
  std::string certificate;
  std::string key;
  std::string authority;
};

// Why TLS is not available in this process; empty when it is.
std::string tls_unavailable();

// What a node shows to its peers, and what it accepts of them. For any thread.
class TlsIdentity {
 public:
  // Throws TlsError.
  static std::shared_ptr<const TlsIdentity> load(const TlsFiles& files);

  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;
  ~TlsIdentity();

 private:
  friend class Tls;
  explicit TlsIdentity(const TlsLibrary& library);

  const TlsLibrary& library_;
  SslContext* context_;
};

enum class ChannelState {
  kNeedMore,
  kOpen,
  kClosed,   // the peer ended the channel in good order, or is gone
  kRefused,  // reason() tells why
};

struct ChannelStep {
  ChannelState state;
  std::vector<std::byte> output;  // for the network, in every state
  std::vector<std::byte> plain;   // what the peer said
};

// One connection's channel. Used by one thread at a time.
class Tls {
 public:
  Tls(Role role, std::shared_ptr<const TlsIdentity> identity);
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;
  ~Tls();

  // What is sent before anything was received: nothing by an acceptor.
  [[nodiscard]] std::vector<std::byte> start();
  // Takes what was received, cut anywhere, and all of it.
  [[nodiscard]] ChannelStep feed(ByteSpan data);
  // What to send for these bytes. The channel must be open.
  [[nodiscard]] std::vector<std::byte> seal(ByteSpan plain);
  // What to send last.
  [[nodiscard]] std::vector<std::byte> finish();
  // The connection ended below the channel.
  void close();

  // A key that the two ends of this channel share, and nobody else has. The
  // channel must be open.
  [[nodiscard]] Digest channel_key() const;

  [[nodiscard]] ChannelState state() const noexcept { return state_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  void take(ByteSpan slice, std::vector<std::byte>& plain);
  void shake();
  void read(std::vector<std::byte>& plain);
  void drain(std::vector<std::byte>& output);
  void fail();
  void require_open() const;

  std::shared_ptr<const TlsIdentity> identity_;
  const TlsLibrary& library_;
  Role role_;
  SslSession* session_;
  SslBio* received_;  // the session owns both
  SslBio* to_send_;
  bool begun_ = false;
  ChannelState state_ = ChannelState::kNeedMore;
  std::string reason_;
};

}  // namespace eclosion
