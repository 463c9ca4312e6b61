// The order of messages, and what is answered at once.
#include "mailbox.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace eclosion {

bool Mailbox::put(Frame message, bool urgent) {
  ReplyStatus status = ReplyStatus::kFailed;
  std::string data;
  bool added = false;
  {
    std::lock_guard lock(mutex_);
    if (failure_) {
      data = *failure_;
    } else if (!waits_.empty() && leads_back(message)) {
      status = ReplyStatus::kDeadlock;
    } else {
      (urgent ? urgent_ : messages_).push_back(std::move(message));
      tell_listeners();
      added = true;
    }
  }
  // Without the lock: who is woken would wait for it.
  if (added) {
    gate_.open();
  } else {
    answer_(message, status, data);
  }
  return added;
}

std::optional<Frame> Mailbox::take() {
  std::lock_guard lock(mutex_);
  std::deque<Frame>& from = urgent_.empty() ? messages_ : urgent_;
  if (from.empty()) return std::nullopt;
  std::optional<Frame> message(std::move(from.front()));
  from.pop_front();
  return message;
}

void Mailbox::notify(std::shared_ptr<Notifier> notifier, std::uint64_t token) {
  std::lock_guard lock(mutex_);
  if (!messages_.empty() || !urgent_.empty())
    notifier->tell(token);
  else
    listeners_.push_back({std::move(notifier), token});
}

void Mailbox::tell_listeners() {
  for (const Listener& each : listeners_) each.notifier->tell(each.token);
  listeners_.clear();
}

void Mailbox::wake() {
  std::lock_guard lock(mutex_);
  tell_listeners();
  gate_.open();
}

bool Mailbox::leads_back(const Frame& message) const {
  if (message.header.chain_length == 0) return false;
  const BodyView view = view_of(message.header, *message.body);
  return std::any_of(
      view.chain.begin(), view.chain.end(), [this](const ChainLink& link) {
        return link.actor == id_ && waits_.contains(link.request);
      });
}

void Mailbox::begin_wait(std::uint64_t request) {
  std::vector<Frame> back;
  {
    std::lock_guard lock(mutex_);
    waits_.insert(request);
    std::deque<Frame> kept;
    for (Frame& message : messages_) {
      if (leads_back(message)) {
        back.push_back(std::move(message));
      } else {
        kept.push_back(std::move(message));
      }
    }
    messages_.swap(kept);
  }
  for (const Frame& message : back)
    answer_(message, ReplyStatus::kDeadlock, "");
}

void Mailbox::end_wait(std::uint64_t request) {
  std::lock_guard lock(mutex_);
  waits_.erase(request);
}

void Mailbox::close(const std::string& failure) {
  std::deque<Frame> left;
  {
    std::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = failure;
    left.swap(messages_);
    gate_.open();
    tell_listeners();
  }
  for (const Frame& message : left)
    answer_(message, ReplyStatus::kFailed, failure);
}

bool Mailbox::closed() {
  std::lock_guard lock(mutex_);
  return failure_.has_value();
}

std::size_t Mailbox::size() {
  std::lock_guard lock(mutex_);
  return messages_.size() + urgent_.size();
}

}  // namespace eclosion
