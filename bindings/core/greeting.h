// A connection between hosts before its peer has proved itself.
//
// GR-1 Nothing of the peer reaches a frame parser before the channel is open.
// GR-2 A peer has a limited time, and a limited number of bytes are held for
//      it: what the channel itself holds.
// GR-3 Whatever the peer does ends this connection and nothing else.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gate.h"
#include "loop.h"
#include "secure_channel.h"

namespace eclosion {

// What a host proves to others, and asks of them: see SecureChannel.
struct Credentials {
  std::vector<std::byte> secret;
  std::shared_ptr<const TlsIdentity> identity;
};

class Greeting : public Watched, public std::enable_shared_from_this<Greeting> {
 public:
  // Told once, in the loop's turn.
  using Done = std::function<void(Greeting&)>;

  // Takes a socket that is connected (acceptor), or is being connected
  // (dialer). Throws what SecureChannel throws.
  Greeting(Loop& loop, int fd, Role role, NodeId self,
           const Credentials& credentials, Done done);

  // In the loop's turn. `at_most` is the time until the channel is open.
  void start(Clock::duration at_most);
  void end(const std::string& why);

  // Why there is no channel; empty when there is one.
  [[nodiscard]] const std::string& why() const { return why_; }
  // Whether the peer was heard and refused: it will be again.
  [[nodiscard]] bool refused() const { return refused_; }
  [[nodiscard]] NodeId peer() const { return channel_->peer(); }
  [[nodiscard]] Role role() const { return role_; }
  // The address of the peer, for people.
  [[nodiscard]] const std::string& address() const { return address_; }

  // What goes over to the connection that follows.
  // A new descriptor of the socket; -1 when the process may have no more.
  [[nodiscard]] int socket() const;
  [[nodiscard]] std::unique_ptr<SecureChannel> take_channel() {
    return std::move(channel_);
  }
  [[nodiscard]] const std::vector<std::byte>& rest() const { return rest_; }
  [[nodiscard]] const std::vector<std::byte>& unsent() const {
    return to_send_;
  }

  void on_ready(std::uint32_t events) override;

 private:
  void read_all();
  void take(ByteSpan received);
  void send(const std::vector<std::byte>& output);
  bool finish_connecting(std::uint32_t events);
  void flush();
  void opened();

  Loop& loop_;
  Descriptor socket_;
  const Role role_;
  std::unique_ptr<SecureChannel> channel_;
  Done done_;
  bool connecting_;
  bool ended_ = false;
  bool refused_ = false;
  std::string why_;
  std::string address_;
  std::vector<std::byte> to_send_;
  std::vector<std::byte> rest_;
};

// The numeric address of a socket's peer.
std::string peer_address(int fd);

}  // namespace eclosion
