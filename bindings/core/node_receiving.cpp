// What a node does with frames that come in.
#include <utility>

#include "node.h"

namespace eclosion {

void Node::on_frame(Connection& from, Frame frame) {
  if (frame.header.kind == FrameKind::kHello) return on_hello(from, frame);
  if (from.peer() == 0)
    return from.close("its first frame does not say who it is");
  if (frame.header.kind == FrameKind::kHeartbeat) return;
  if (frame.header.kind == FrameKind::kObituary) {
    const BodyView view = view_of(frame.header, *frame.body);
    const NodeId dead = frame.header.target_node;
    const std::string obituary(view.data);
    if (gateway_of(dead) == dead && host_of(dead) != host_of(id()))
      return bury_host(dead, obituary);
    return bury(dead, obituary);
  }
  if (frame.header.kind == FrameKind::kRevival)
    return revived(frame.header.target_node);
  if (host_of(frame.header.target_node) != host_of(id()))
    return transmit(std::move(frame));
  if (frame.header.kind == FrameKind::kTree) return pass_on(frame);
  if (frame.header.number != 0) return in_order(std::move(frame), false);
  deliver(std::move(frame));
}

void Node::on_hello(Connection& from, const Frame& frame) {
  const NodeId peer = frame.header.source_node;
  if (peer == 0 || peer == id()) return from.close("it does not say who it is");
  // It may have been restarted since, under the same identity: this is nothing
  // of its present life.
  if (from.peer() == 0 && !from.peer_exists())
    return from.close("its process has ended");
  if (from.peer() == 0) from.set_peer(peer);
  if (from.peer() != peer) return from.close("it says that it is another node");
  open_way(peer, from.shared_from_this());
}

void Node::receive(Frame frame) {
  const FrameHeader& header = frame.header;
  switch (header.kind) {
    case FrameKind::kRequest:
      return receive_request(std::move(frame));
    case FrameKind::kReply:
      return receive_reply(std::move(frame));
    case FrameKind::kCredit:
      return windows_.give({header.source_node, header.source_actor, 0},
                           header.index, header.request);
    case FrameKind::kRelease:
      return segments_.release(header.request, header.source_node);
    case FrameKind::kReceipt:
      return trees_.receipt(header);
    case FrameKind::kReturn:
      return transmit_all(trees_.returned(header, is_dead_));
    default:
      return;
  }
}

void Node::receive_request(Frame frame) {
  const ActorId actor = frame.header.target_actor;
  try {
    const BodyView view = view_of(frame.header, *frame.body);
    if (actor == kAgent && view.method.starts_with('!'))
      return undeliverable(
          frame, "!only a process itself tells its agent what happened to it");
  } catch (const FrameError& error) {
    // Whoever relayed it is not to blame: its connection stays.
    return undeliverable(frame, std::string("!") + error.what());
  }
  frame.header.flags = 0;
  std::string why;
  if (const auto mailbox = mailbox_for(frame, why))
    mailbox->put(std::move(frame), false);
  else
    undeliverable(frame, why);
}

// A body that is not what its header says is no reply: the caller would fail
// where it reads it.
void Node::mend_reply(Frame& frame) {
  try {
    view_of(frame.header, *frame.body);
  } catch (const FrameError& error) {
    release(frame);
    frame.segment = nullptr;
    frame.header.segment = 0;
    frame.header.flags = static_cast<std::uint8_t>(ReplyStatus::kFailed);
    frame.body =
        make_body(frame.header, "", {}, std::string("!") + error.what(), {});
  }
}

void Node::receive_reply(Frame frame) {
  mend_reply(frame);
  std::shared_ptr<Call> call;
  {
    std::lock_guard lock(calls_mutex_);
    auto found = calls_.find(frame.header.request);
    if (found != calls_.end()) call = found->second.lock();
  }
  // Nobody waits for it any more.
  if (!call || !call->reply(frame)) release(frame);
}

void Node::taken(const Frame& message) {
  const FrameHeader& header = message.header;
  if (header.target_actor == kAgent || header.flags == kOfNode) return;
  if (born_ != forks.load()) return;
  // What the dead have sent is taken too, and leaves nothing.
  if (!credits_.knows(header.source_node) && obituary_of(header.source_node))
    return;
  const Credits::Due due = credits_.taken(
      header.source_node, header.target_actor, header.body_length);
  if (due.messages != 0) give_credit(message, due.messages, due.bytes);
}

void Node::give_credit(const Frame& message, std::uint64_t messages,
                       std::uint64_t bytes) {
  const FrameHeader& header = message.header;
  Frame credit = base_frame(FrameKind::kCredit, header.source_node);
  credit.header.source_node = header.target_node;
  credit.header.source_actor = header.target_actor;
  credit.header.index = static_cast<std::uint32_t>(messages);
  credit.header.request = bytes;
  transmit(std::move(credit));
}

void Node::release(const Frame& message) { release_for(id(), message); }

void Node::release_for(NodeId reader, const Frame& message) {
  if (!message.segment || born_ != forks.load()) return;
  const NodeId owner = message.header.source_node;
  if (owner == id()) return segments_.release(message.header.segment, reader);
  Frame frame = base_frame(FrameKind::kRelease, owner);
  frame.header.source_node = reader;
  frame.header.request = message.header.segment;
  transmit(std::move(frame));
}

// For all that would have done so, had they got the segment.
void Node::release_for_all(const Frame& message) {
  if (!message.segment) return;
  const bool cast = message.header.kind == FrameKind::kCast;
  const std::vector<Target> targets =
      cast ? targets_of(message)
           : std::vector<Target>{{message.header.target_node, 0, 0}};
  for (const auto& [reader, times] : readers_of(targets))
    for (std::uint32_t i = 0; i < times; ++i) release_for(reader, message);
}

// Answers for a message that no actor will take.
void Node::answer(const Frame& request, ReplyStatus status,
                  const std::string& data) {
  taken(request);
  release(request);
  if (request.header.request == 0) return;
  std::string text = data;
  if (status == ReplyStatus::kDeadlock) {
    for (const ChainLink& link : view_of(request.header, *request.body).chain)
      text += link.name + "\n";
  }
  FrameHeader back = request.header;
  reply(back, status, text);
}

// Everything that a receiver would have done is done for it: the shared memory
// is released, the credit is returned, the caller has its answer.
void Node::undeliverable(const Frame& frame, const std::string& why) {
  if (frame.header.kind == FrameKind::kTree)
    return transmit_all(trees_.cannot_send(frame, is_dead_));
  release_for_all(frame);
  if (frame.header.kind == FrameKind::kCast) {
    const Frame bare{frame.header, nullptr, nullptr};
    const auto rest = without_rows(frame);
    for (const Target& target : targets_of(frame))
      undeliverable(for_target(bare, target, rest), why);
    return;
  }
  if (frame.header.kind != FrameKind::kRequest) return;
  if (frame.header.target_actor != kAgent)
    give_credit(frame, 1, length_for(frame, frame.header.target_node));
  if (frame.header.request == 0) return;
  Frame back = base_frame(FrameKind::kReply, frame.header.source_node);
  back.header.source_node = frame.header.target_node;
  back.header.flags = static_cast<std::uint8_t>(ReplyStatus::kFailed);
  back.header.request = frame.header.request;
  back.header.index = frame.header.index;
  back.body = make_body(back.header, "", {}, why, {});
  if (back.header.target_node == id()) return receive_reply(std::move(back));
  transmit(std::move(back));
}

void Node::on_closed(Connection& from, const std::string& why) {
  const NodeId peer = from.peer();
  {
    std::lock_guard lock(routes_mutex_);
    std::vector<NodeId> broken;
    for (const auto& [node, way] : ways_)
      if (way.get() == &from) broken.push_back(node);
    for (NodeId node : broken) {
      ways_.erase(node);
      // What was under way may be lost: nothing later may arrive in its place.
      if (!unreachable(node)) held_.try_emplace(node);
    }
    connections_.erase(from.shared_from_this());
  }
  closings_.open();
  if (peer == 0 || stopped_ || obituary_of(peer)) return;
  if (is_gateway() || peer == gateway_of(id()))
    return tell_agent("!lost", peer, why);
  // A sibling: its gateway knows more, and says so if there is something to
  // say.
  {
    std::lock_guard lock(routes_mutex_);
    lost_.insert(peer);
  }
  loop_.after(settings_.eof_grace, [this, peer] {
    bool lost;
    {
      std::lock_guard lock(routes_mutex_);
      lost = lost_.contains(peer);
    }
    if (lost) bury(peer, "");
  });
}

}  // namespace eclosion
