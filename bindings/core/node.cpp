// Life, wiring and death of nodes; sending is in node_sending.cpp, what comes
// in is in node_receiving.cpp.
#include "node.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

// For the last words of a node, and for those of a dead one.
constexpr Clock::duration kLastWords = std::chrono::seconds(1);

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) != sizeof(number))
    throw std::system_error(errno, std::generic_category(), "getrandom");
  return number;
}

sockaddr_un address_of(NodeId node, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = socket_name(node);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

// Abstract sockets have no permissions: the kernel says who the peer is.
bool same_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace

std::string socket_name(NodeId node) {
  char name[32];
  std::snprintf(name, sizeof(name), "eclosion-%016llx",
                static_cast<unsigned long long>(node));
  return name;
}

Node::Node(const NodeSettings& settings)
    : settings_(settings),
      windows_(settings.mailbox_capacity, settings.mailbox_bytes),
      credits_(settings.mailbox_capacity, settings.mailbox_bytes),
      segments_(settings.shared_memory_limit),
      trees_(settings.id, settings.cast_fanout),
      next_request_(random_number() | 1),
      last_beat_(Clock::now()) {}

Node::~Node() { stop(); }

void Node::start() {
  mailbox(kAgent);
  loop_.every(settings_.heartbeat_interval, [this] { beat(); });
  loop_.start();
}

void Node::stop() {
  // In a forked child the locks may be held by threads that are not there.
  if (born_ != forks.load() || stopped_.exchange(true)) return;
  auto open = [this] {
    std::lock_guard lock(routes_mutex_);
    return connections_;
  };
  for (const ConnectionPtr& connection : open()) connection->finish();
  // Until the peers have read it all, and closed: a socket that is closed with
  // unread bytes in it throws away the written ones too.
  const auto deadline = Clock::now() + kLastWords;
  while (loop_.running()) {
    const std::uint32_t seen = closings_.count();
    if (open().empty()) break;
    if (closings_.wait(seen, deadline) == Gate::Woken::kTimeout) break;
  }
  loop_.stop();
  greetings_.clear();
  for (const auto& call : waiting_calls()) call->fail_all("");
}

std::vector<std::shared_ptr<Call>> Node::waiting_calls() {
  std::vector<std::shared_ptr<Call>> waiting;
  std::lock_guard lock(calls_mutex_);
  for (const auto& [id, weak] : calls_)
    if (auto call = weak.lock()) waiting.push_back(std::move(call));
  return waiting;
}

Node::ConnectionPtr Node::connect(int fd, NodeId peer, bool unix_socket,
                                  Greeting* greeting) {
  auto connection = std::make_shared<Connection>(loop_, *this, fd, unix_socket,
                                                 settings_.max_frame);
  connection->set_peer(peer);
  if (greeting != nullptr)
    connection->secure(greeting->take_channel(), greeting->unsent());
  {
    std::lock_guard lock(routes_mutex_);
    connections_.insert(connection);
  }
  try {
    connection->start();
  } catch (const std::system_error&) {
    std::lock_guard lock(routes_mutex_);
    connections_.erase(connection);
    throw;
  }
  if (peer != 0) open_way(peer, connection);
  return connection;
}

// What was held goes first; what comes meanwhile is held until nothing is.
void Node::open_way(NodeId peer, const ConnectionPtr& connection) {
  std::lock_guard opening(opening_mutex_);
  while (true) {
    std::vector<Frame> held;
    {
      std::lock_guard lock(routes_mutex_);
      // It may have been closed again already.
      if (ways_.contains(peer) || !connections_.contains(connection)) return;
      auto found = held_.find(peer);
      if (found == held_.end() || found->second.empty()) {
        if (found != held_.end()) held_.erase(found);
        ways_.emplace(peer, connection);
        return;
      }
      held.swap(found->second);
    }
    for (const Frame& frame : held) connection->send(frame);
  }
}

void Node::adopt(int fd, NodeId peer, bool unix_socket) {
  connect(fd, peer, unix_socket);
}

void Node::listen(int fd) {
  std::make_shared<Acceptor>(loop_, fd, [this](int socket) {
    if (same_user(socket)) {
      connect(socket, 0, true);
    } else {
      ::close(socket);
    }
  })->start();
}

void Node::watch(NodeId node) {
  std::optional<std::string> dead;
  {
    std::lock_guard lock(routes_mutex_);
    dead = unreachable(node);
    if (!dead) watched_.insert(node);
  }
  if (dead) tell_agent("!obituary", node, *dead);
}

// Without waiting: a sibling whose queue of connections is full, as when it is
// stopped, is reached by the gateway.
Node::ConnectionPtr Node::dial_sibling(NodeId node) {
  const int fd =
      ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return nullptr;
  socklen_t length = 0;
  const sockaddr_un address = address_of(node, length);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      !same_user(fd)) {
    ::close(fd);
    return nullptr;
  }
  auto connection =
      std::make_shared<Connection>(loop_, *this, fd, true, settings_.max_frame);
  connection->set_peer(node);
  connection->send(base_frame(FrameKind::kHello, node));
  try {
    connection->start();
  } catch (const std::system_error&) {
    return nullptr;
  }
  connections_.insert(connection);
  return connection;
}

void Node::disconnect(NodeId peer) {
  ConnectionPtr connection;
  {
    std::lock_guard lock(routes_mutex_);
    auto found = ways_.find(peer);
    if (found == ways_.end()) return;
    connection = found->second;
  }
  if (connection->peer() == peer) connection->close("it was asked to");
}

std::optional<std::string> Node::obituary_of(NodeId node) {
  std::lock_guard lock(routes_mutex_);
  if (auto found = dead_.find(node)) return found;
  return dead_hosts_.find(host_of(node));
}

// A dead node's replies may be in its socket still.
void Node::read_rest_of(NodeId node) {
  std::vector<ConnectionPtr> connections;
  {
    std::lock_guard lock(routes_mutex_);
    if (dead_.contains(node)) return;
    for (const ConnectionPtr& connection : connections_)
      if (connection->peer() == node) connections.push_back(connection);
  }
  if (connections.empty()) return;
  loop_.run_and_wait(
      [connections] {
        for (const ConnectionPtr& connection : connections)
          connection->read_rest();
      },
      kLastWords);
}

void Node::beat() {
  const auto now = Clock::now();
  // Long enough to miss what others sent, whatever silence is taken for death.
  const auto interval = settings_.heartbeat_interval;
  const auto slack = (settings_.heartbeat_timeout - interval) / 2;
  const bool stalled =
      now - last_beat_ > interval + std::min(interval * 2, slack);
  last_beat_ = now;
  std::vector<ConnectionPtr> neighbours;
  {
    std::lock_guard lock(routes_mutex_);
    neighbours.assign(connections_.begin(), connections_.end());
  }
  std::unordered_set<NodeId> silent;
  for (const auto& neighbour : neighbours) {
    const NodeId peer = neighbour->peer();
    const bool kin = is_gateway() || peer == gateway_of(id());
    if (!kin || peer == 0) continue;
    if (neighbour->queued() == 0)
      neighbour->send(base_frame(FrameKind::kHeartbeat, peer));
    if (stalled) neighbour->forgive_silence();
    if (!is_gateway() || !neighbour->heard()) continue;
    if (now - neighbour->last_received() < settings_.heartbeat_timeout)
      continue;
    silent.insert(peer);
    if (!silent_.contains(peer)) tell_agent("!silent", peer, "");
  }
  silent_.swap(silent);
}

void Node::tell(ActorId actor, std::string_view method, NodeId about,
                std::string_view data) {
  Frame frame = base_frame(FrameKind::kRequest, id());
  frame.header.source_node = about;
  frame.header.target_actor = actor;
  frame.header.flags = kOfNode;
  frame.body = make_body(frame.header, method, {}, data, {});
  std::string why;
  if (const auto open = mailbox_for(frame, why))
    open->put(std::move(frame), true);
}

std::shared_ptr<Mailbox> Node::mailbox(ActorId actor) {
  std::lock_guard lock(mailboxes_mutex_);
  return mailbox_of(actor);
}

std::shared_ptr<Mailbox> Node::mailbox_of(ActorId actor) {
  auto& mailbox = mailboxes_[actor];
  if (!mailbox) {
    mailbox = std::make_shared<Mailbox>(
        actor,
        [this](const Frame& request, ReplyStatus status,
               const std::string& data) { answer(request, status, data); });
  }
  return mailbox;
}

std::shared_ptr<Mailbox> Node::open_mailbox(ActorId actor) {
  std::lock_guard lock(mailboxes_mutex_);
  ended_.remove(actor);
  return mailbox_of(actor);
}

// Whoever has the mailbox sees its end there; what comes later is answered
// without it.
void Node::close_mailbox(ActorId actor, const std::string& failure) {
  std::shared_ptr<Mailbox> closed;
  {
    std::lock_guard lock(mailboxes_mutex_);
    closed = mailbox_of(actor);
    mailboxes_.erase(actor);
    ended_.add(actor, failure);
  }
  closed->close(failure);
  return_credit(actor);
}

std::shared_ptr<Mailbox> Node::mailbox_for(const Frame& request,
                                           std::string& why) {
  const ActorId actor = request.header.target_actor;
  std::lock_guard lock(mailboxes_mutex_);
  if ((actor & kChannel) == 0) {
    auto ended = ended_.find(actor);
    if (!ended) return mailbox_of(actor);
    why = std::move(*ended);
    return nullptr;
  }
  auto found = mailboxes_.find(actor);
  return found == mailboxes_.end() ? nullptr : found->second;
}

void Node::drop_mailbox(ActorId channel) {
  if (born_ != forks.load()) return;
  std::shared_ptr<Mailbox> dropped;
  {
    std::lock_guard lock(mailboxes_mutex_);
    auto found = mailboxes_.find(channel);
    if (found == mailboxes_.end()) return;
    dropped = std::move(found->second);
    mailboxes_.erase(found);
  }
  dropped->close("");
  return_credit(channel);
}

// For what was taken from a mailbox that is no more.
void Node::return_credit(ActorId mailbox) {
  for (const auto& [sender, due] : credits_.close(mailbox)) {
    Frame taken = base_frame(FrameKind::kRequest, id());
    taken.header.source_node = sender;
    taken.header.target_actor = mailbox;
    give_credit(taken, due.messages, due.bytes);
  }
}

}  // namespace eclosion
