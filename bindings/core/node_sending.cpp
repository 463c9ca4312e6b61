// How messages leave a node.
#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>

#include "flattening.h"
#include "node.h"

namespace eclosion {
namespace {

constexpr std::uint64_t kWorthFollowing = 1 << 20;
constexpr std::uint64_t kWriteStep = 1 << 20;

}  // namespace

Node::Prepared::~Prepared() {
  if (!sent_ && frame_.segment)
    node_.segments_.add_readers(frame_.header.segment, {});
  if (sent_) write_rest();
}

void Node::Prepared::add_readers() {
  if (!frame_.segment) return;
  std::map<NodeId, std::uint32_t> readers = node_.readers_of(targets_);
  // While it is written it is not free, whoever dies meanwhile.
  if (!rest_.empty()) ++readers[node_.id()];
  node_.segments_.add_readers(frame_.header.segment, readers);
}

void Node::Prepared::write_rest() {
  if (rest_.empty()) return;
  for (const OutgoingBuffer& buffer : rest_) {
    for (std::uint64_t done = 0; done < buffer.size;) {
      const std::uint64_t step = std::min(kWriteStep, buffer.size - done);
      std::memcpy(lease_.memory + buffer.offset + done, buffer.memory + done,
                  step);
      done += step;
      lease_.written(buffer.offset + done);
    }
  }
  rest_.clear();
  lease_.finish();
  node_.segments_.release(lease_.id, node_.id());
}

namespace {

// A receiver would close the connection.
void check_size(const Bytes& body, std::uint64_t rows, std::uint64_t limit) {
  if (body.size() + rows > limit)
    throw std::length_error(
        "a message of " + std::to_string(body.size() + rows) +
        " bytes is over the limit of " + std::to_string(limit) +
        "; send less at a time, or raise max_frame");
}

}  // namespace

Frame Node::base_frame(FrameKind kind, NodeId target) const {
  return bare_frame(kind, id(), target);
}

// Who releases a segment: receivers on this host. What goes to another host is
// copied out of it by the gateway, which may be this node, once for each host.
std::map<NodeId, std::uint32_t> Node::readers_of(
    std::span<const Target> targets) const {
  std::map<NodeId, std::uint32_t> readers;
  std::set<std::uint32_t> abroad;
  for (const Target& target : targets) {
    if (host_of(target.node) == host_of(id())) {
      ++readers[target.node];
    } else {
      abroad.insert(host_of(target.node));
    }
  }
  if (!abroad.empty())
    readers[gateway_of(id())] += static_cast<std::uint32_t>(abroad.size());
  return readers;
}

std::unique_ptr<Node::Prepared> Node::try_prepare(const Outgoing& message) {
  if (born_ != forks.load())
    throw std::logic_error(
        "this process was forked from one that has actors, and has none of its "
        "connections; send from the parent, or start processes by the runtime");
  auto prepared = std::make_unique<Prepared>(
      *this, base_frame(FrameKind::kRequest, 0),
      std::vector<Target>(message.targets.begin(), message.targets.end()));
  Frame& frame = prepared->frame_;
  frame.header.source_actor = message.source;
  std::vector<OutgoingBuffer> buffers = message.buffers;
  std::uint64_t shared = 0;
  bool neighbours = false;
  bool abroad = false;
  for (const Target& target : message.targets)
    abroad |= host_of(target.node) != host_of(id());
  for (const Target& target : message.targets)
    neighbours |= target.node != id() &&
                  (host_of(target.node) == host_of(id()) || !is_gateway());
  for (OutgoingBuffer& buffer : buffers) {
    buffer.shared = neighbours && settings_.shared_memory_limit != 0 &&
                    buffer.size >= settings_.shared_memory_threshold;
    if (!buffer.shared) continue;
    buffer.offset = shared;
    shared += (buffer.size + kBufferAlignment - 1) / kBufferAlignment *
              kBufferAlignment;
  }
  if (shared != 0) {
    const Segments::Lease lease = segments_.try_lease(shared);
    if (lease.memory == nullptr) return nullptr;
    frame.header.segment = lease.id;
    frame.segment = lease.descriptor;
    prepared->lease_ = lease;
    for (const OutgoingBuffer& buffer : buffers)
      if (buffer.shared) prepared->rest_.push_back(buffer);
    // Relays do not wait for a writer, and little is written at once.
    if (abroad || shared < kWorthFollowing) {
      for (const OutgoingBuffer& buffer : prepared->rest_)
        std::memcpy(lease.memory + buffer.offset, buffer.memory, buffer.size);
      prepared->rest_.clear();
    } else {
      lease.begin();
    }
  }
  frame.body = make_body(frame.header, message.method, message.chain,
                         message.data, buffers);
  const bool cast = abroad && message.targets.size() > 1;
  check_size(*frame.body, cast ? room_for_rows(message.targets.size()) : 0,
             settings_.max_frame);
  return prepared;
}

bool Node::try_send(Prepared& message, const std::shared_ptr<Call>& call) {
  std::vector<Windows::Load> counted;
  for (const Target& target : message.targets_)
    if (target.actor != kAgent && !obituary_of(target.node))
      counted.push_back({target, length_for(message.frame_, target.node)});
  if (!windows_.try_take(counted)) return false;
  message.sent_ = true;
  Frame& frame = message.frame_;
  message.add_readers();
  if (call) {
    frame.header.request = call->id();
    std::lock_guard lock(calls_mutex_);
    calls_[call->id()] = call;
  }
  spread(frame, message.targets_, frame.body);
  return true;
}

// Whether a frame has a way and which one is decided at once, so that what was
// held goes before what comes later.
void Node::transmit(Frame frame) {
  const NodeId target = frame.header.target_node;
  if (target == id()) return receive(std::move(frame));
  if (stopped_) return undeliverable(frame, "");
  const bool leaves = is_gateway() && host_of(target) != host_of(id());
  if (leaves && !flatten(frame)) return;
  std::unique_lock lock(routes_mutex_);
  // What has a number is missed by its host if it does not come there.
  const bool numbered = frame.header.number != 0;
  if (auto obituary = unreachable(numbered ? gateway_of(target) : target)) {
    lock.unlock();
    return undeliverable(frame, *obituary);
  }
  if (leaves) number(frame);
  if (auto* held = held_for(target)) return held->push_back(std::move(frame));
  if (ConnectionPtr way = route(target)) {
    lock.unlock();
    return way->send(frame);
  }
  // A process that has just been asked for, or a host without a connection yet:
  // the agent knows what to expect, and buries what it does not.
  const NodeId hop = hop_of(target);
  held_[hop].push_back(std::move(frame));
  lock.unlock();
  tell_agent("!unrouted", hop, "");
}

// Another host cannot open a segment: its bytes go along.
bool Node::flatten(Frame& frame) {
  if (!frame.segment) return true;
  Frame whole;
  try {
    whole = flattened(frame, segment_reader_, settings_.max_frame);
  } catch (const std::exception& error) {
    undeliverable(frame, std::string("!") + error.what());
    return false;
  }
  release_for_all(frame);
  frame = std::move(whole);
  return true;
}

// How long the body is that a target gets, and that its window counts.
std::uint64_t Node::length_for(const Frame& frame, NodeId target) const {
  if (!frame.segment || host_of(target) == host_of(id()))
    return frame.body->size();
  return flattened_length(frame);
}

void Node::number(Frame& frame) {
  const FrameHeader& header = frame.header;
  const bool counts = header.kind == FrameKind::kRequest ||
                      header.kind == FrameKind::kReply ||
                      header.kind == FrameKind::kCast;
  if (counts && header.number == 0 &&
      host_of(header.source_node) == host_of(id()))
    frame.header.number = trees_.next_number(host_of(header.target_node));
}

// The process that a message goes to next, unless a sibling is reached at once.
NodeId Node::hop_of(NodeId node) const {
  if (host_of(node) == host_of(id())) return node;
  return is_gateway() ? gateway_of(node) : gateway_of(id());
}

std::optional<std::string> Node::unreachable(NodeId node) {
  if (auto found = dead_.find(node)) return found;
  if (auto found = dead_hosts_.find(host_of(node))) return found;
  return dead_.find(hop_of(node));
}

std::vector<Frame>* Node::held_for(NodeId node) {
  auto found = held_.find(node);
  if (found == held_.end()) found = held_.find(hop_of(node));
  return found == held_.end() ? nullptr : &found->second;
}

Node::ConnectionPtr Node::route(NodeId node) {
  if (auto found = ways_.find(node); found != ways_.end()) return found->second;
  const bool here = host_of(node) == host_of(id());
  if (is_gateway()) {
    if (here) return nullptr;
    auto found = ways_.find(gateway_of(node));
    return found == ways_.end() ? nullptr : found->second;
  }
  ConnectionPtr way = here ? dial_sibling(node) : nullptr;
  if (!way) {
    auto found = ways_.find(gateway_of(id()));
    if (found == ways_.end()) return nullptr;
    way = found->second;
  }
  // The way stays, so that messages cannot overtake each other.
  ways_[node] = way;
  return way;
}

void Node::reply(const FrameHeader& request, ReplyStatus status,
                 std::string_view data, std::vector<OutgoingBuffer> buffers) {
  if (request.request == 0) return;
  const Target back{request.source_node, 0, 0};
  Outgoing message{{&back, 1}, request.target_actor, "", {},
                   data,       std::move(buffers)};
  std::unique_ptr<Prepared> prepared = try_prepare(message);
  if (!prepared) {
    // Shared memory is full: the bytes go through the socket.
    for (OutgoingBuffer& buffer : message.buffers) buffer.shared = false;
    Frame frame = base_frame(FrameKind::kReply, 0);
    frame.body = make_body(frame.header, "", {}, data, message.buffers);
    check_size(*frame.body, 0, settings_.max_frame);
    prepared =
        std::make_unique<Prepared>(*this, std::move(frame), std::vector{back});
  }
  Frame& frame = prepared->frame_;
  prepared->sent_ = true;
  prepared->add_readers();
  frame.header.kind = FrameKind::kReply;
  frame.header.flags = static_cast<std::uint8_t>(status);
  frame.header.target_node = request.source_node;
  frame.header.request = request.request;
  frame.header.index = request.index;
  transmit(std::move(frame));
}

std::shared_ptr<Call> Node::new_call(std::span<const Target> targets) {
  return std::make_shared<Call>(
      next_request_.fetch_add(1),
      std::vector<Target>(targets.begin(), targets.end()));
}

void Node::forget_call(std::uint64_t id) {
  std::shared_ptr<Call> call;
  {
    std::lock_guard lock(calls_mutex_);
    auto found = calls_.find(id);
    if (found == calls_.end()) return;
    call = found->second.lock();
    calls_.erase(found);
  }
  if (!call) return;
  for (const Frame& frame : call->abandon()) release(frame);
}

}  // namespace eclosion
