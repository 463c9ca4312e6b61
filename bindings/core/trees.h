// Messages for many hosts, and what becomes of them when one is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cast.h"
#include "frame.h"
#include "host_order.h"

namespace eclosion {

// A gateway's part in the trees of its program: frames go in, and what is to be
// sent comes out. It sends nothing, and has no clock: every loss is an event
// that reaches the sender, by the death of a host or by a return.
class Trees {
 public:
  using IsDead = std::function<bool(NodeId gateway)>;

  // A message for more hosts than the fan-out grows a tree; 0: never.
  Trees(NodeId self, std::uint64_t fanout) : self_(self), fanout_(fanout) {}

  // The number of what goes to that host next, on a way of its own.
  std::uint64_t next_number(std::uint32_t host) { return sent_.next(host); }
  // One frame for each host, or a tree of those that live and can pass on.
  std::vector<Frame> for_hosts(const Frame& request,
                               std::vector<Branch> branches,
                               const IsDead& is_dead);

  // What goes on from here; the last frame is for this host itself. Throws
  // FrameError for a tree that does not begin here.
  std::vector<Frame> pass_on(const Frame& tree);
  // What has its turn among the numbered frames of a host, without its number.
  std::vector<Frame> in_turn(Frame frame, bool by_others);
  // How much that host keeps that has come, and the receipts for all of them.
  std::uint64_t unreceipted(std::uint32_t host) {
    return received_.unreceipted(host);
  }
  std::vector<Frame> receipts();
  void receipt(const FrameHeader& receipt);

  // How many messages are kept until their receipts.
  [[nodiscard]] std::size_t kept_count() { return sent_.kept(); }

  // A host is given up here: what it may have lost is sent again, and those
  // whose trees went on to it are told.
  std::vector<Frame> lost(NodeId gateway);
  // A tree that cannot go on from here.
  std::vector<Frame> cannot_send(const Frame& tree, const IsDead& is_dead);
  // Another cannot pass on to a host. While that one lives for this one, the
  // other is asked to pass nothing on.
  std::vector<Frame> returned(const FrameHeader& from, const IsDead& is_dead);

 private:
  [[nodiscard]] bool is_fit(NodeId gateway);
  [[nodiscard]] Frame message(FrameKind kind, NodeId to,
                              std::uint64_t request) const;
  std::vector<Frame> kept();

  const NodeId self_;
  const std::uint64_t fanout_;
  SentOrder sent_;
  ReceivedOrder received_;
  std::mutex mutex_;
  // Whose trees went on to a host from here.
  std::unordered_map<NodeId, std::unordered_set<NodeId>> passed_on_;
  // The gateways that gave trees back, and which other each has given up.
  std::unordered_map<NodeId, std::unordered_set<NodeId>> unfit_;
};

// One frame for what goes to a host. One that has a number is for its gateway,
// which knows who is dead there: a number that is missing would hold up others.
Frame frame_for(const Frame& request, const Branch& branch);

}  // namespace eclosion
