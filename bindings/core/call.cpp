// Replies as they come in, and those that never will.
#include "call.h"

#include <string>
#include <utility>

namespace eclosion {

void Call::reply(Frame frame) {
  const std::uint32_t index = frame.header.index;
  std::lock_guard lock(mutex_);
  if (index >= replies_.size() || replies_[index]) return;
  if (static_cast<ReplyStatus>(frame.header.flags) != ReplyStatus::kOk &&
      !problem_)
    problem_ = index;
  replies_[index] = std::move(frame);
  arrived_.push_back(index);
  --remaining_;
  // Whoever waits for all of them is not woken for each.
  if (remaining_ != 0 && !problem_ && !one_by_one_) return;
  if (notifier_) notifier_->tell(token_);
  gate_.open();
}

void Call::fail(NodeId node, const std::string& failure) {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].node != node) continue;
    Frame frame;
    frame.header.kind = FrameKind::kReply;
    frame.header.flags = static_cast<std::uint8_t>(ReplyStatus::kFailed);
    frame.header.source_node = node;
    frame.header.request = id_;
    frame.header.index = static_cast<std::uint32_t>(i);
    frame.body = make_body(frame.header, "", {}, failure, {});
    reply(std::move(frame));
  }
}

bool Call::settled() {
  std::lock_guard lock(mutex_);
  return remaining_ == 0 || problem_;
}

bool Call::finished() {
  std::lock_guard lock(mutex_);
  return remaining_ == 0 && arrived_.empty();
}

std::optional<Frame> Call::next() {
  std::lock_guard lock(mutex_);
  one_by_one_ = true;
  if (arrived_.empty()) return std::nullopt;
  const std::uint32_t index = arrived_.front();
  arrived_.pop_front();
  return replies_[index];
}

std::optional<Frame> Call::problem() {
  std::lock_guard lock(mutex_);
  if (!problem_) return std::nullopt;
  return replies_[*problem_];
}

std::vector<Frame> Call::take() {
  std::lock_guard lock(mutex_);
  std::vector<Frame> frames;
  for (auto& reply : replies_) {
    if (reply) frames.push_back(std::move(*reply));
  }
  arrived_.clear();
  return frames;
}

void Call::notify(std::shared_ptr<Notifier> notifier, std::uint64_t token) {
  std::lock_guard lock(mutex_);
  notifier_ = std::move(notifier);
  token_ = token;
  if (remaining_ == 0 || problem_ || (one_by_one_ && !arrived_.empty()))
    notifier_->tell(token_);
}

}  // namespace eclosion
