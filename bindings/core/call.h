// A request that went to some actors, and the replies that have come.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cast.h"
#include "frame.h"
#include "gate.h"
#include "notifier.h"

namespace eclosion {

class Call {
 public:
  Call(std::uint64_t id, std::vector<Target> targets)
      : id_(id),
        targets_(std::move(targets)),
        gate_(soon(targets_.size())),
        replies_(targets_.size()),
        remaining_(targets_.size()) {}

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const std::vector<Target>& targets() const { return targets_; }

  // Takes the reply of a target, or leaves it: a second one of the same, or one
  // that comes after abandon().
  [[nodiscard]] bool reply(Frame& frame);
  // Answers for every target on that node that has not replied, or for all.
  void fail(NodeId node, const std::string& failure);
  void fail_all(const std::string& failure);
  // Nobody waits any more: returns the replies that nobody took.
  std::vector<Frame> abandon();

  // There is nothing more to wait for: every target replied, or one with
  // something else than a result.
  [[nodiscard]] bool settled();
  // All have replied, and were taken by next() or take().
  [[nodiscard]] bool finished();
  // The replies in the order of their arrival, once each. From the first call
  // on the gate opens at each of them, before only when the call is settled.
  std::optional<Frame> next();
  // The first reply that is no result; else the replies in the order of
  // targets, without those that were taken before. Shared memory goes with
  // whoever takes a reply first.
  std::optional<Frame> problem();
  std::vector<Frame> take();

  [[nodiscard]] Gate& gate() { return gate_; }
  // Tells the notifier the next time that the gate opens, at once if it has.
  // Any number of loops may wait; each asks anew after it was told.
  void notify(std::shared_ptr<Notifier> notifier, std::uint64_t token);

 private:
  // How long replies are looked for without sleeping: about what actors take
  // that are not busy. Who sleeps is woken for each, which costs every sender.
  static Clock::duration soon(std::size_t replies) {
    constexpr std::chrono::microseconds kFirst(30);
    constexpr std::chrono::microseconds kEach(20);
    constexpr std::size_t kMost = 16;
    return kFirst + kEach * std::min(replies, kMost);
  }

  const std::uint64_t id_;
  const std::vector<Target> targets_;
  Gate gate_;
  std::mutex mutex_;
  struct Reply {
    bool came = false;
    Frame frame;  // without a body once it was taken
  };
  void fail_one(std::size_t index, const std::string& failure);
  std::vector<Frame> take_with_lock();

  std::vector<Reply> replies_;
  std::deque<std::uint32_t> arrived_;
  std::optional<std::uint32_t> problem_;
  std::size_t remaining_;
  bool one_by_one_ = false;
  bool abandoned_ = false;
  struct Listener {
    std::shared_ptr<Notifier> notifier;
    std::uint64_t token;
  };
  std::vector<Listener> listeners_;
};

}  // namespace eclosion
