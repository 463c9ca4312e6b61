// What hosts have between them, on loopback: sockets, credentials, and peers
// that a test drives by hand.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "greeting.h"
#include "nodes.h"

namespace hosts {

using eclosion::ByteSpan;
using eclosion::ChannelState;
using eclosion::ChannelStep;
using eclosion::Credentials;
using eclosion::Role;
using eclosion::SecureChannel;
using eclosion::TlsIdentity;
using nodes::NodeId;
using Data = std::vector<std::byte>;

inline constexpr std::string_view kSecret = "correct horse battery staple";
inline constexpr std::string_view kOtherSecret = "correct horse battery stable";

inline Data bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}
inline std::string text_of(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Data operator+(Data one, ByteSpan other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

inline std::shared_ptr<const TlsIdentity> identity(const std::string& name) {
  const std::string folder = CERTIFICATES;
  return TlsIdentity::load({folder + "/" + name + ".pem",
                            folder + "/" + name + ".key",
                            folder + "/home.pem"});
}
// A certificate by its name, a secret, or both.
inline Credentials credentials(std::string_view secret,
                               const std::string& name = "") {
  return {bytes_of(secret), name.empty() ? nullptr : identity(name)};
}
// What two hosts may prove themselves by.
inline std::vector<std::pair<Credentials, Credentials>> all_credentials() {
  return {{credentials(kSecret), credentials(kSecret)},
          {credentials("", "one"), credentials("", "two")},
          {credentials(kSecret, "one"), credentials(kSecret, "two")}};
}

inline sockaddr_in own_address(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  REQUIRE(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return address;
}
// As it is told of the one who is at the other end.
inline std::string address_text(int fd) {
  return "127.0.0.1:" + std::to_string(ntohs(own_address(fd).sin_port));
}

inline int listening() {
  const int fd =
      ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) ==
          0);
  REQUIRE(::listen(fd, 128) == 0);
  return fd;
}

inline void connect(int fd, const sockaddr_in& address) {
  const int result = ::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                               sizeof(address));
  REQUIRE((result == 0 || errno == EINPROGRESS));
}
// A socket that is connected, or is being connected.
inline int connecting(const sockaddr_in& address, int flags = SOCK_NONBLOCK) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  connect(fd, address);
  return fd;
}
inline int connected(const sockaddr_in& address) {
  return connecting(address, 0);
}

// The next one who connects.
inline int accepted(int listener) {
  pollfd waiting{listener, POLLIN, 0};
  REQUIRE(::poll(&waiting, 1, 1000 * nodes::kPatience.count()) == 1);
  const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  REQUIRE(fd >= 0);
  return fd;
}

inline std::array<int, 2> tcp_pair() {
  const int listener = listening();
  const int one = connected(own_address(listener));
  const int other = accepted(listener);
  ::close(listener);
  return {one, other};
}

// The other end of a socket, in the hands of a test.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    const timeval patience{nodes::kPatience.count(), 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  }
  Peer(Peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Peer& operator=(Peer&&) = delete;
  ~Peer() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  // Without a word: the other side is told that the connection broke.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close();
  }
  [[nodiscard]] int fd() const { return fd_; }

  // Whether all could be written.
  bool write(ByteSpan bytes) {
    while (!bytes.empty()) {
      const ssize_t sent =
          ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // What there is, or `at_most` of it; nothing at the end.
  Data read(std::size_t at_most = 64 << 10) {
    Data bytes(at_most);
    const ssize_t got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    const bool timeout = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    REQUIRE_FALSE(timeout);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  Data read_all_of(std::size_t size) {
    Data bytes;
    while (bytes.size() < size) {
      const Data more = read(size - bytes.size());
      if (more.empty()) break;
      bytes = std::move(bytes) + more;
    }
    return bytes;
  }
  Data read_to_end() {
    Data bytes;
    for (Data more = read(); !more.empty(); more = read())
      bytes = std::move(bytes) + more;
    return bytes;
  }
  // Whether the other side is there, and has said nothing.
  [[nodiscard]] bool is_open() const {
    std::byte byte;
    return ::recv(fd_, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
  }

 private:
  int fd_;
};

inline SecureChannel channel(Role role, NodeId id, const Credentials& by) {
  return {role, id, by.secret, by.identity};
}

// Proves itself to whoever is at the other end. Returns what came behind the
// other's proof. `cut` is how much is written at a time, `between` is called
// after each.
template <typename Between>
Data shake(Peer& peer, SecureChannel& channel, std::size_t cut,
           Between between) {
  const auto write = [&](ByteSpan bytes) {
    while (!bytes.empty()) {
      const ByteSpan piece = bytes.first(std::min(cut, bytes.size()));
      if (!peer.write(piece)) return;
      between();
      bytes = bytes.subspan(piece.size());
    }
  };
  write(channel.start());
  Data plain;
  while (channel.state() == ChannelState::kNeedMore) {
    const Data received = peer.read();
    if (received.empty()) {
      channel.close();
      break;
    }
    const ChannelStep step = channel.feed(received);
    write(step.output);
    plain = std::move(plain) + step.plain;
  }
  return plain;
}
inline Data shake(Peer& peer, SecureChannel& channel) {
  return shake(peer, channel, ~std::size_t{0}, [] {});
}

// Lets a dialer in, and says more with its last word.
template <typename More>
void let_in(Peer& peer, SecureChannel& acceptor, More more) {
  Data last = acceptor.start();
  while (acceptor.state() == ChannelState::kNeedMore) {
    peer.write(last);
    last = acceptor.feed(peer.read()).output;
  }
  REQUIRE(acceptor.state() == ChannelState::kOpen);
  REQUIRE(peer.write(std::move(last) + more()));
}

// A frame as it is between two hosts that do not seal.
inline Data wire(const nodes::Frame& frame) {
  const auto header = std::as_bytes(std::span(&frame.header, 1));
  return Data(header.begin(), header.end()) +
         std::as_bytes(std::span(frame.body->data(), frame.body->size()));
}

// A node where others come in.
struct Host {
  std::unique_ptr<nodes::Node> node;
  int listener = listening();
  sockaddr_in address = own_address(listener);

  explicit Host(NodeId id, const Credentials& by = credentials(kSecret),
                eclosion::Clock::duration at_most = nodes::kPatience)
      : node(nodes::started(id)) {
    node->welcome(listener, by, at_most);
  }
};

inline void dial(nodes::Node& node, const Host& to,
                 const Credentials& by = credentials(kSecret),
                 NodeId expected = 0, const std::string& label = "label") {
  node.dial(connecting(to.address), by, expected, label, nodes::kPatience);
}

// What the agent is told first: who it is about, what, and the words.
struct News {
  std::string what;
  NodeId about;
  std::string words;
  bool operator==(const News&) const = default;
};
inline News next(nodes::Node& node) {
  const nodes::Frame frame = nodes::take(node, eclosion::kAgent);
  return {nodes::method_of(frame), frame.header.source_node,
          nodes::data_of(frame)};
}
inline bool no_news(nodes::Node& node) {
  return node.mailbox(eclosion::kAgent)->size() == 0;
}

inline std::string line_of(const std::string& words, std::size_t number) {
  std::size_t start = 0;
  while (number-- > 0) start = words.find('\n', start) + 1;
  return words.substr(start, words.find('\n', start) - start);
}

// A thread that sends numbers until it is told to end.
class Stream {
 public:
  Stream(nodes::Node& node, std::vector<nodes::Target> targets)
      : thread_([this, &node, targets = std::move(targets)] {
          for (int i = 0; !ending_ || i < kFewest; ++i) {
            nodes::send(node, {targets, std::to_string(i)});
            if (i == kFewest) under_way_.open();
          }
          nodes::send(node, {targets, "end"});
        }) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    end();
    thread_.join();
  }
  void end() { ending_ = true; }
  // Waits until much has been sent.
  bool is_under_way() {
    return nodes::wait_for(under_way_, [this] { return under_way_.count(); });
  }
  // Whether all arrive in order, taken from all of these at the same pace: a
  // full window would hold the thread back.
  static bool arrives_at(const std::vector<nodes::Node*>& targets,
                         nodes::ActorId actor) {
    for (int i = 0;; ++i) {
      std::size_t ends = 0;
      for (nodes::Node* node : targets) {
        const std::string data = nodes::data_of(nodes::take(*node, actor));
        ends += data == "end";
        if (data != "end" && data != std::to_string(i)) return false;
      }
      if (ends != 0) return ends == targets.size() && i >= kFewest;
    }
  }

 private:
  static constexpr int kFewest = 500;
  nodes::Gate under_way_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace hosts
