// A process among the processes of a running program: its connections, the
// mailboxes of its actors, its calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "acceptor.h"
#include "call.h"
#include "cast.h"
#include "connection.h"
#include "endings.h"
#include "greeting.h"
#include "loop.h"
#include "mailbox.h"
#include "segment_reader.h"
#include "segments.h"
#include "trees.h"
#include "windows.h"

namespace eclosion {

struct NodeSettings {
  NodeId id = 0;
  std::uint64_t max_frame = 10ULL << 30;
  std::uint64_t shared_memory_threshold = 128 << 10;
  std::uint64_t shared_memory_limit = 1ULL << 30;
  std::uint64_t mailbox_capacity = 4096;
  std::uint64_t mailbox_bytes = 64ULL << 20;
  Clock::duration heartbeat_interval = std::chrono::milliseconds(500);
  Clock::duration heartbeat_timeout = std::chrono::seconds(5);
  Clock::duration eof_grace = std::chrono::seconds(2);
  // To how many hosts a message goes from here, if it is for more: each of them
  // passes it on to as many. 0: to all.
  std::uint64_t cast_fanout = 8;
};

// A message before it is sent: to whom, from whom, and what.
struct Outgoing {
  std::span<const Target> targets;
  ActorId source = 0;
  std::string_view method;
  std::span<const ChainLink> chain;
  std::string_view data;
  std::vector<OutgoingBuffer> buffers;
};

// The mailbox of the process itself. What it gets does not wait behind data,
// and this is how the process learns of what happens: requests of its own node
// whose method starts with "!".
inline constexpr ActorId kAgent = 0;
// Set in the mailbox of a channel. It is there from when it is opened until it
// is dropped, while the one of an actor is made by its first message too.
inline constexpr ActorId kChannel = 1ULL << 63;
// The flags of what a node puts into a mailbox of its own: it used no window.
inline constexpr std::uint8_t kOfNode = 0xff;

// Messages of one sender to one mailbox arrive in the order they were sent and
// once, while both processes live. Within a host each pair has one way, and a
// way that breaks is not repaired, it is the end of the processes behind it;
// between hosts see host_order.h.
class Node : public ConnectionOwner {
 public:
  explicit Node(const NodeSettings& settings);
  ~Node() override;

  void start();
  // What was sent before still leaves, and peers see the end after it; that
  // takes a second at most. Calls that wait then fail.
  void stop();
  [[nodiscard]] NodeId id() const { return settings_.id; }
  [[nodiscard]] bool is_gateway() const { return gateway_of(id()) == id(); }
  [[nodiscard]] const NodeSettings& settings() const { return settings_; }

  // Takes a socket whose other end is that node.
  void adopt(int fd, NodeId peer, bool unix_socket);
  // Takes a listening unix socket, where other processes of this host and user
  // connect.
  void listen(int fd);
  // A process that this gateway starts: what is for it is held until it has
  // been adopted.
  void expect(NodeId child);
  // Tells the agent of that node's death: "!obituary".
  void watch(NodeId node);
  // That node is dead: what waits for it fails with this text, and so does all
  // that is sent to it. A gateway tells all nodes that it knows.
  void bury(NodeId node, const std::string& obituary);
  // That node is started again under its old identity: what is sent to it waits
  // for it. Its gateway tells all nodes, after the obituary, and there the
  // agents are told: "!revived".
  void revive(NodeId node);
  // Every process of that host is out of reach: what the obituary of a gateway
  // says on other hosts. The agent is told once, of the gateway.
  void bury_host(NodeId gateway, const std::string& obituary);
  // The gateway of the client, which tells all hosts what it is told by one.
  // Before there is one, a gateway tells all others of its own dead.
  void set_root(NodeId gateway) { root_.store(gateway); }
  // Takes a listening socket where gateways of other hosts connect. The agent
  // is told of those that prove themselves ("!arrived", with their address) and
  // of others ("!refused", with the reason).
  void welcome(int fd, const Credentials& credentials, Clock::duration at_most);
  // Takes a socket that is being connected to another gateway: to this one,
  // unless it is 0. The agent is told with the label: "!dialed", or "!undialed"
  // with "refused" or "again", as trying again is of use or not, and a reason.
  void dial(int fd, const Credentials& credentials, NodeId expected,
            const std::string& label, Clock::duration at_most);
  // What is for that host goes through another one from now on, unless it has a
  // way.
  void route_through(NodeId gateway, NodeId relay);
  // The text it was buried with.
  [[nodiscard]] std::optional<std::string> obituary_of(NodeId node);
  void disconnect(NodeId peer);

  std::shared_ptr<Mailbox> mailbox(ActorId actor);
  // The mailbox of an actor that is constructed: a new one if there was one
  // that is closed.
  std::shared_ptr<Mailbox> open_mailbox(ActorId actor);
  void close_mailbox(ActorId actor, const std::string& failure);
  // Forgets the mailbox of a channel: what is in it and what comes for it is
  // dropped, and leaves nothing behind.
  void drop_mailbox(ActorId channel);

  // A message whose large buffers are where its receivers can read them.
  class Prepared;
  // Nothing while shared memory is full; segments().gate() tells of room.
  // Throws std::length_error for what is over max_frame, and std::logic_error
  // in a forked child, which has no connections.
  std::unique_ptr<Prepared> try_prepare(const Outgoing& message);
  // Sends, or does nothing while a window is full; windows().gate() tells of
  // room. With a call the replies come to it.
  bool try_send(Prepared& message, const std::shared_ptr<Call>& call);
  std::shared_ptr<Call> new_call(std::span<const Target> targets);
  void forget_call(std::uint64_t id);
  void reply(const FrameHeader& request, ReplyStatus status,
             std::string_view data, std::vector<OutgoingBuffer> buffers = {});

  // A message was taken from a mailbox: its sender may send more.
  void taken(const Frame& message);
  // The shared memory of a message has been read, or never will be.
  void release(const Frame& message);

  [[nodiscard]] Windows& windows() { return windows_; }
  [[nodiscard]] Segments& segments() { return segments_; }
  [[nodiscard]] SegmentReader& segment_reader() { return segment_reader_; }
  [[nodiscard]] Loop& loop() { return loop_; }
  // How much of each thing it keeps now, by name. What a program of any length
  // does with processes, hosts and actors that end must leave these as they
  // were, but for "ended".
  std::vector<std::pair<const char*, std::uint64_t>> holdings();
  // Puts a message of the process to itself into a mailbox, before all others.
  void tell(ActorId actor, std::string_view method, NodeId about,
            std::string_view data);
  void tell_agent(std::string_view method, NodeId about,
                  std::string_view data) {
    tell(kAgent, method, about, data);
  }

 private:
  using ConnectionPtr = std::shared_ptr<Connection>;

  void on_frame(Connection& from, Frame frame) override;
  void on_closed(Connection& from, const std::string& why) override;

  ConnectionPtr connect(int fd, NodeId peer, bool unix_socket,
                        Greeting* greeting = nullptr);
  void greet(const std::shared_ptr<Greeting>& greeting,
             Clock::duration at_most);
  struct Taken {
    ConnectionPtr connection;
    std::string trouble;
  };
  Taken taken_over(Greeting& greeting);
  void greeted(Greeting& greeting, NodeId expected, const std::string& label);
  [[nodiscard]] std::string objection(const Greeting& greeting,
                                      NodeId expected);
  void open_way(NodeId peer, const ConnectionPtr& connection);
  void read_rest_of(NodeId node);
  void on_hello(Connection& from, const Frame& frame);
  void transmit(Frame frame);
  void release_for(NodeId reader, const Frame& message);
  void release_for_all(const Frame& message);
  void give_credit(const Frame& message, std::uint64_t messages,
                   std::uint64_t bytes);
  bool flatten(Frame& frame);
  [[nodiscard]] std::uint64_t length_for(const Frame& frame,
                                         NodeId target) const;
  void number(Frame& frame);
  void receive(Frame frame);
  void receive_request(Frame frame);
  void receive_reply(Frame frame);
  void mend_reply(Frame& frame);
  void spread(const Frame& frame, std::span<const Target> targets,
              const std::shared_ptr<const Bytes>& body);
  void spread_abroad(Frame request, std::vector<Branch> branches);
  void transmit_all(std::vector<Frame> frames);
  void pass_on(const Frame& tree);
  void in_order(Frame frame, bool by_others);
  void deliver(Frame frame);
  void undeliverable(const Frame& frame, const std::string& why);
  void answer(const Frame& request, ReplyStatus status,
              const std::string& data);
  // Null, and why, for a channel that is not open and an actor that has ended.
  std::shared_ptr<Mailbox> mailbox_for(const Frame& request, std::string& why);
  void return_credit(ActorId mailbox);
  // With mailboxes_mutex_.
  std::shared_ptr<Mailbox> mailbox_of(ActorId actor);
  [[nodiscard]] NodeId hop_of(NodeId node) const;
  // These are called with routes_mutex_.
  std::optional<std::string> unreachable(NodeId node);
  std::vector<Frame>* held_for(NodeId node);
  ConnectionPtr route(NodeId node);
  ConnectionPtr dial_sibling(NodeId node);
  std::vector<std::shared_ptr<Call>> waiting_calls();
  void tell_neighbours(const Frame& frame);
  void revived(NodeId node);
  void beat();
  [[nodiscard]] std::map<NodeId, std::uint32_t> readers_of(
      std::span<const Target> targets) const;
  [[nodiscard]] Frame base_frame(FrameKind kind, NodeId target) const;

  // Bytes of texts that are kept of the dead, and of actors that have ended.
  static constexpr std::uint64_t kObituaries = 1 << 20;

  const NodeSettings settings_;
  Loop loop_;
  Windows windows_;
  Credits credits_;
  Segments segments_;
  SegmentReader segment_reader_;
  Trees trees_;
  const Trees::IsDead is_dead_ = [this](NodeId gateway) {
    return obituary_of(gateway).has_value();
  };
  std::atomic<std::uint64_t> next_request_;
  std::atomic<bool> stopped_{false};
  std::atomic<NodeId> root_{0};
  const std::uint32_t born_ = forks.load();
  Gate closings_;

  std::mutex opening_mutex_;  // one way is opened at a time; taken first
  std::mutex routes_mutex_;   // not held while messages are sent
  std::unordered_set<ConnectionPtr> connections_;
  std::unordered_map<NodeId, ConnectionPtr> ways_;  // of what we send
  // What waits for a way, or for the obituary of one that broke.
  std::unordered_map<NodeId, std::vector<Frame>> held_;
  Endings dead_{kObituaries};
  Endings dead_hosts_{kObituaries};
  std::unordered_set<NodeId> watched_;
  std::unordered_set<NodeId> lost_;  // siblings without an obituary so far

  std::mutex mailboxes_mutex_;
  std::unordered_map<ActorId, std::shared_ptr<Mailbox>> mailboxes_;
  Endings ended_{kObituaries};

  std::mutex calls_mutex_;
  std::unordered_map<std::uint64_t, std::weak_ptr<Call>> calls_;

  Clock::time_point last_beat_;
  // In the loop's turn.
  bool receipts_due_ = false;
  std::unordered_set<NodeId> silent_;
  std::deque<std::shared_ptr<Greeting>> greetings_;
};

// A message that is ready to be sent. Its segment is free again unless it was.
class Node::Prepared {
 public:
  Prepared(Node& node, Frame frame, std::vector<Target> targets)
      : node_(node), frame_(std::move(frame)), targets_(std::move(targets)) {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared();

  // Writes what was left for after the message was sent.
  void write_rest();

 private:
  friend class Node;
  void add_readers();

  Node& node_;
  Frame frame_;
  std::vector<Target> targets_;
  Segments::Lease lease_;
  std::vector<OutgoingBuffer> rest_;  // still to be written
  bool sent_ = false;
};

// The name of the abstract unix socket where a node's siblings reach it.
std::string socket_name(NodeId node);

}  // namespace eclosion
