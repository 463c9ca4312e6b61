// Nodes of a program in one process, joined by real sockets, and what tests do
// with them.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node.h"

namespace nodes {

using eclosion::ActorId;
using eclosion::Call;
using eclosion::Clock;
using eclosion::Frame;
using eclosion::Gate;
using eclosion::Mailbox;
using eclosion::Node;
using eclosion::NodeId;
using eclosion::NodeSettings;
using eclosion::OutgoingBuffer;
using eclosion::ReplyStatus;
using eclosion::Target;

// Long enough for a machine that is busy: only failures wait for it.
constexpr std::chrono::seconds kPatience{20};

template <typename Ready>
bool wait_for(Gate& gate, Ready ready, Clock::duration patience = kPatience) {
  const auto deadline = Clock::now() + patience;
  while (true) {
    const std::uint32_t seen = gate.count();
    if (ready()) return true;
    if (gate.wait(seen, deadline) == Gate::Woken::kTimeout) return ready();
  }
}

// The names of abstract sockets are seen by the whole machine.
inline std::uint32_t host(std::uint32_t number) {
  return (static_cast<std::uint32_t>(::getpid()) << 8) + number;
}
inline NodeId node_id(std::uint32_t host_number, std::uint32_t process) {
  return (static_cast<NodeId>(host(host_number)) << 32) | process;
}

inline NodeSettings settings(NodeId id) {
  NodeSettings settings;
  settings.id = id;
  // A test that stops for a while under a debugger is not dead.
  settings.heartbeat_timeout = kPatience;
  settings.eof_grace = std::chrono::milliseconds(20);
  return settings;
}

inline std::unique_ptr<Node> started(const NodeSettings& settings) {
  auto node = std::make_unique<Node>(settings);
  node->start();
  return node;
}
inline std::unique_ptr<Node> started(NodeId id) {
  return started(settings(id));
}

inline std::array<int, 2> socket_pair() {
  std::array<int, 2> ends;
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) ==
          0);
  return ends;
}

inline void link(Node& one, Node& other, bool unix_socket = true) {
  const auto ends = socket_pair();
  one.adopt(ends[0], other.id(), unix_socket);
  other.adopt(ends[1], one.id(), unix_socket);
}

inline int listener(NodeId node) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = eclosion::socket_name(node);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0);
  REQUIRE(::listen(fd, 8) == 0);
  return fd;
}

struct Message {
  std::vector<Target> targets;
  std::string data;
  std::vector<std::string_view> buffers = {};
  std::vector<eclosion::ChainLink> chain = {};
  ActorId source = 1;
  std::string method = "method";
};

inline std::unique_ptr<Node::Prepared> prepare(Node& node,
                                               const Message& message) {
  eclosion::Outgoing outgoing;
  outgoing.targets = message.targets;
  outgoing.source = message.source;
  outgoing.method = message.method;
  outgoing.chain = message.chain;
  outgoing.data = message.data;
  for (const std::string_view buffer : message.buffers) {
    OutgoingBuffer row;
    row.memory = buffer.data();
    row.size = buffer.size();
    outgoing.buffers.push_back(row);
  }
  std::unique_ptr<Node::Prepared> prepared;
  const bool room = wait_for(node.segments().gate(), [&] {
    return (prepared = node.try_prepare(outgoing)) != nullptr;
  });
  REQUIRE(room);
  return prepared;
}

inline void send(Node& node, const Message& message,
                 const std::shared_ptr<Call>& call = nullptr) {
  const auto prepared = prepare(node, message);
  REQUIRE(wait_for(node.windows().gate(),
                   [&] { return node.try_send(*prepared, call); }));
}

inline std::shared_ptr<Call> call(Node& node, const Message& message) {
  auto call = node.new_call(message.targets);
  send(node, message, call);
  return call;
}

inline std::string data_of(const Frame& frame) {
  return std::string(view_of(frame.header, *frame.body).data);
}
inline std::string method_of(const Frame& frame) {
  return std::string(view_of(frame.header, *frame.body).method);
}
inline ReplyStatus status_of(const Frame& frame) {
  return static_cast<ReplyStatus>(frame.header.flags);
}

// The bytes of a buffer, wherever they are; the message still has its segment.
inline std::string buffer_of(const Frame& frame, std::size_t index) {
  const auto view = view_of(frame.header, *frame.body);
  const eclosion::BufferRow& row = view.buffers[index];
  std::string bytes(row.size, '\0');
  if (row.shared != 0) {
    eclosion::SegmentReader().read(frame, row, bytes.data());
  } else {
    bytes.assign(frame.body->data() + row.offset, row.size);
  }
  return bytes;
}

// The next message of an actor, which is taken from its mailbox.
inline Frame take(Node& node, ActorId actor) {
  const auto mailbox = node.mailbox(actor);
  std::optional<Frame> frame;
  REQUIRE(wait_for(mailbox->gate(), [&] {
    frame = mailbox->take();
    return frame.has_value();
  }));
  node.taken(*frame);
  return std::move(*frame);
}

// What the agent is told next: other news are skipped.
inline Frame news(Node& node, std::string_view method) {
  while (true) {
    Frame frame = take(node, eclosion::kAgent);
    if (method_of(frame) == method) return frame;
  }
}

inline void answer(Node& node, const Frame& request, std::string_view data) {
  node.reply(request.header, ReplyStatus::kOk, data);
  node.release(request);
}

inline std::vector<Frame> replies(Call& call) {
  REQUIRE(wait_for(call.gate(), [&] { return call.settled(); }));
  return call.take();
}

// Whether all shared memory of a node is free again: the whole of its limit can
// be leased at once.
inline bool all_is_free(Node& node) {
  return wait_for(node.segments().gate(), [&] {
    const auto lease =
        node.segments().try_lease(node.settings().shared_memory_limit);
    if (lease.memory == nullptr) return false;
    node.segments().add_readers(lease.id, {});
    return true;
  });
}

// A peer of a node that is no node: it writes what it likes.
class Impostor {
 public:
  Impostor(Node& node, NodeId id, bool unix_socket = true)
      : Impostor(node, id, unix_socket, socket_pair()) {}
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  ~Impostor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int fd() const { return fd_; }
  void write(const Frame& frame, int descriptor = -1) {
    std::string bytes(reinterpret_cast<const char*>(&frame.header),
                      sizeof(frame.header));
    if (frame.body) bytes.append(frame.body->data(), frame.body->size());
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (descriptor >= 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    REQUIRE(::sendmsg(fd_, &message, MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }

 private:
  Impostor(Node& node, NodeId id, bool unix_socket, std::array<int, 2> ends)
      : fd_(ends[1]) {
    node.adopt(ends[0], id, unix_socket);
  }
  int fd_;
};

}  // namespace nodes
