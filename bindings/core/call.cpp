// Replies as they come in, and those that never will.
#include "call.h"

#include <string>
#include <utility>

namespace eclosion {

bool Call::reply(Frame& frame) {
  const std::uint32_t index = frame.header.index;
  {
    std::lock_guard lock(mutex_);
    if (abandoned_ || index >= replies_.size() || replies_[index].came)
      return false;
    if (static_cast<ReplyStatus>(frame.header.flags) != ReplyStatus::kOk &&
        !problem_)
      problem_ = index;
    replies_[index] = {true, std::move(frame)};
    arrived_.push_back(index);
    --remaining_;
    // Whoever waits for all of them is not woken for each.
    if (remaining_ != 0 && !problem_ && !one_by_one_) return true;
    for (auto& each : listeners_) each.notifier->tell(each.token);
    listeners_.clear();
  }
  // Without the lock: who is woken would wait for it.
  gate_.open();
  return true;
}

void Call::fail(NodeId node, const std::string& failure) {
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (targets_[i].node == node) fail_one(i, failure);
}

void Call::fail_all(const std::string& failure) {
  for (std::size_t i = 0; i < targets_.size(); ++i) fail_one(i, failure);
}

void Call::fail_one(std::size_t index, const std::string& failure) {
  Frame frame;
  frame.header.kind = FrameKind::kReply;
  frame.header.flags = static_cast<std::uint8_t>(ReplyStatus::kFailed);
  frame.header.source_node = targets_[index].node;
  frame.header.request = id_;
  frame.header.index = static_cast<std::uint32_t>(index);
  frame.body = make_body(frame.header, "", {}, failure, {});
  [[maybe_unused]] const bool first = reply(frame);
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
  while (!arrived_.empty()) {
    Frame& frame = replies_[arrived_.front()].frame;
    arrived_.pop_front();
    if (frame.body) return std::exchange(frame, {});
  }
  return std::nullopt;
}

std::optional<Frame> Call::problem() {
  std::lock_guard lock(mutex_);
  if (!problem_) return std::nullopt;
  Frame& frame = replies_[*problem_].frame;
  if (!frame.body) return std::nullopt;
  if (frame.segment) return std::exchange(frame, {});
  return frame;
}

std::vector<Frame> Call::take() {
  std::lock_guard lock(mutex_);
  return take_with_lock();
}

std::vector<Frame> Call::abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  return take_with_lock();
}

std::vector<Frame> Call::take_with_lock() {
  std::vector<Frame> frames;
  for (Reply& reply : replies_)
    if (reply.frame.body) frames.push_back(std::exchange(reply.frame, {}));
  arrived_.clear();
  return frames;
}

void Call::notify(std::shared_ptr<Notifier> notifier, std::uint64_t token) {
  std::lock_guard lock(mutex_);
  if (remaining_ == 0 || problem_ || (one_by_one_ && !arrived_.empty()))
    notifier->tell(token);
  else
    listeners_.push_back({std::move(notifier), token});
}

}  // namespace eclosion
