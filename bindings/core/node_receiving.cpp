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
    return bury(frame.header.target_node, std::string(view.data));
  }
  if (frame.header.kind == FrameKind::kCast) {
    const std::vector<Target> targets = targets_of(frame);
    const auto rest = without_targets(frame);
    frame.header.target_count = 0;
    frame.header.kind = FrameKind::kRequest;
    return spread(frame, targets, rest);
  }
  transmit(std::move(frame));
}

void Node::on_hello(Connection& from, const Frame& frame) {
  const NodeId peer = frame.header.source_node;
  if (from.peer() == 0) from.set_peer(peer);
  if (from.peer() != peer) return from.close("it says that it is another node");
  std::lock_guard lock(routes_mutex_);
  ways_.try_emplace(peer, from.shared_from_this());
}

void Node::receive(Frame frame) {
  const FrameHeader& header = frame.header;
  switch (header.kind) {
    case FrameKind::kRequest: {
      const ActorId actor = header.target_actor;
      mailbox(actor)->put(std::move(frame), false);
      return;
    }
    case FrameKind::kReply:
      return receive_reply(std::move(frame));
    case FrameKind::kCredit:
      return windows_.give({header.source_node, header.source_actor, 0},
                           header.index, header.request);
    case FrameKind::kRelease:
      return segments_.release(header.request, header.source_node);
    default:
      return;
  }
}

void Node::receive_reply(Frame frame) {
  std::shared_ptr<Call> call;
  {
    std::lock_guard lock(calls_mutex_);
    auto found = calls_.find(frame.header.request);
    if (found != calls_.end()) call = found->second.lock();
  }
  // Nobody waits any more: the call was given up.
  if (!call) return release(frame);
  call->reply(std::move(frame));
}

void Node::taken(const Frame& message) {
  const FrameHeader& header = message.header;
  if (header.target_actor == kAgent || header.flags == kOfNode) return;
  const Credits::Due due = credits_.taken(
      header.source_node, header.target_actor, header.body_length);
  if (due.messages == 0) return;
  Frame credit = base_frame(FrameKind::kCredit, header.source_node);
  credit.header.source_actor = header.target_actor;
  credit.header.index = due.messages;
  credit.header.request = due.bytes;
  transmit(std::move(credit));
}

void Node::release(const Frame& message) {
  if (!message.segment) return;
  const NodeId owner = message.header.source_node;
  if (owner == id()) return segments_.release(message.header.segment, id());
  Frame frame = base_frame(FrameKind::kRelease, owner);
  frame.header.request = message.header.segment;
  transmit(std::move(frame));
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

void Node::undeliverable(const Frame& frame, const std::string& why) {
  if (frame.header.kind == FrameKind::kCast) {
    const auto rest = without_targets(frame);
    for (const Target& target : targets_of(frame))
      undeliverable(for_target(frame, target, rest), why);
    return;
  }
  if (frame.segment && frame.header.source_node == id())
    segments_.release(frame.header.segment, frame.header.target_node);
  if (frame.header.kind != FrameKind::kRequest || frame.header.request == 0)
    return;
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
    std::erase_if(
        ways_, [&from](const auto& way) { return way.second.get() == &from; });
    auto held = from.shared_from_this();
    connections_.erase(held);
  }
  if (peer == 0 || stopped_ || obituary_of(peer)) return;
  if (is_gateway() || peer == gateway_of(id()))
    return tell_agent("!lost", peer, why);
  // A sibling: its gateway knows more, and says so if there is something to
  // say.
  loop_.after(settings_.eof_grace, [this, peer, why] {
    if (!obituary_of(peer)) bury(peer, "");
  });
}

}  // namespace eclosion
