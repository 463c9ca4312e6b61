// Messages for one actor, in the order of their arrival.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "frame.h"
#include "gate.h"
#include "notifier.h"

namespace eclosion {

class Mailbox {
 public:
  // Called for a request that will not be taken from here: how to answer it.
  using Answer = std::function<void(const Frame& request, ReplyStatus status,
                                    const std::string& data)>;

  explicit Mailbox(ActorId id, Answer answer)
      : id_(id), answer_(std::move(answer)) {}

  [[nodiscard]] ActorId id() const { return id_; }

  // Adds a message; `urgent` ones are taken before all others. A closed
  // mailbox answers at once, and so is a request whose call chain leads back to
  // a call that is waited for here. Returns whether it was added.
  bool put(Frame message, bool urgent = false);
  std::optional<Frame> take();
  // Changes whenever a message comes, or the mailbox is closed.
  [[nodiscard]] Gate& gate() { return gate_; }
  // Tells the notifier of the next message or of the end, at once if there is a
  // message. Any number of loops may wait; each asks anew after it was told.
  void notify(std::shared_ptr<Notifier> notifier, std::uint64_t token);
  // Has all that wait look again.
  void wake();

  // From here to end_wait() the actor takes no message until that call of its
  // own is answered.
  void begin_wait(std::uint64_t request);
  void end_wait(std::uint64_t request);

  // Answers all that is here and all that comes with kFailed and this text.
  void close(const std::string& failure);
  [[nodiscard]] bool closed();
  [[nodiscard]] std::size_t size();

 private:
  struct Listener {
    std::shared_ptr<Notifier> notifier;
    std::uint64_t token;
  };
  // With the lock.
  void tell_listeners();
  [[nodiscard]] bool leads_back(const Frame& message) const;

  const ActorId id_;
  const Answer answer_;
  Gate gate_;
  std::mutex mutex_;
  std::deque<Frame> messages_;
  std::deque<Frame> urgent_;
  std::unordered_set<std::uint64_t> waits_;
  std::vector<Listener> listeners_;
  std::optional<std::string> failure_;
};

}  // namespace eclosion
