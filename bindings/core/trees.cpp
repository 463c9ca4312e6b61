// Growing trees, passing them on, and sending again.
#include "trees.h"

#include <utility>

namespace eclosion {

Frame frame_for(const Frame& request, const Branch& branch) {
  const std::uint64_t number = branch.leg.number;
  Frame frame = number != 0 || branch.targets.size() > 1
                    ? cast_of(request, branch.targets)
                    : for_target(request, branch.targets.front(), request.body);
  frame.header.number = number;
  return frame;
}

Frame Trees::message(FrameKind kind, NodeId to, std::uint64_t request) const {
  Frame frame = bare_frame(kind, self_, to);
  frame.header.request = request;
  return frame;
}

std::vector<Frame> Trees::for_hosts(const Frame& request,
                                    std::vector<Branch> branches,
                                    const IsDead& is_dead) {
  const bool grows = fanout_ != 0 && branches.size() > fanout_;
  std::vector<Frame> frames;
  std::vector<Branch> fit;
  for (Branch& branch : branches) {
    const NodeId gateway = branch.leg.gateway;
    if (!grows || !is_fit(gateway) || is_dead(gateway)) {
      frames.push_back(frame_for(request, branch));
    } else {
      sent_.keep(request, branch);
      fit.push_back(std::move(branch));
    }
  }
  if (fit.empty()) return frames;
  for (const auto part : parts_of(fit, fanout_))
    frames.push_back(tree_of(request, part));
  return frames;
}

bool Trees::is_fit(NodeId gateway) {
  std::lock_guard lock(mutex_);
  const auto found = unfit_.find(gateway);
  return found == unfit_.end() || found->second.empty();
}

std::vector<Frame> Trees::pass_on(const Frame& tree) {
  const std::vector<Branch> branches = branches_of(tree);
  if (branches.front().leg.gateway != self_)
    throw FrameError("malformed frame: a tree that does not begin here");
  const NodeId origin = gateway_of(tree.header.source_node);
  const Frame request = for_target(tree, {}, without_rows(tree));
  const std::size_t fanout = fanout_ == 0 ? branches.size() : fanout_;
  std::vector<Frame> frames;
  for (const auto part : parts_of(std::span(branches).subspan(1), fanout)) {
    frames.push_back(tree_of(request, part));
    std::lock_guard lock(mutex_);
    passed_on_[part.front().leg.gateway].insert(origin);
  }
  frames.push_back(frame_for(request, branches.front()));
  return frames;
}

std::vector<Frame> Trees::in_turn(Frame frame, bool by_others) {
  const std::uint32_t host = host_of(frame.header.source_node);
  std::vector<Frame> frames = received_.take(host, std::move(frame), by_others);
  for (Frame& each : frames) each.header.number = 0;
  return frames;
}

std::vector<Frame> Trees::receipts() {
  std::vector<Frame> frames;
  for (const auto& [host, number] : received_.receipts())
    frames.push_back(
        message(FrameKind::kReceipt, static_cast<NodeId>(host) << 32, number));
  return frames;
}

void Trees::receipt(const FrameHeader& receipt) {
  sent_.receipt(host_of(receipt.source_node), receipt.request);
}

std::vector<Frame> Trees::kept() {
  std::vector<Frame> frames;
  for (const Kept& each : sent_.take_kept())
    frames.push_back(frame_for(each.request, each.branch));
  return frames;
}

std::vector<Frame> Trees::lost(NodeId gateway) {
  sent_.forget(host_of(gateway));
  received_.forget(host_of(gateway));
  std::unordered_set<NodeId> origins;
  {
    std::lock_guard lock(mutex_);
    unfit_.erase(gateway);
    for (auto& [relay, given_up] : unfit_) given_up.erase(gateway);
    for (auto& [next, senders] : passed_on_) senders.erase(gateway);
    if (auto found = passed_on_.extract(gateway))
      origins = std::move(found.mapped());
  }
  std::vector<Frame> frames = kept();
  for (const NodeId origin : origins)
    frames.push_back(message(FrameKind::kReturn, origin, gateway));
  return frames;
}

std::vector<Frame> Trees::cannot_send(const Frame& tree,
                                      const IsDead& is_dead) {
  const NodeId origin = gateway_of(tree.header.source_node);
  if (origin == self_) return kept();
  if (is_dead(origin)) return {};
  return {message(FrameKind::kReturn, origin, tree.header.target_node)};
}

std::vector<Frame> Trees::returned(const FrameHeader& from,
                                   const IsDead& is_dead) {
  const NodeId given_up = from.request;
  {
    std::lock_guard lock(mutex_);
    unfit_[from.source_node].insert(given_up);
  }
  // It may have been lost here just now.
  if (is_dead(given_up)) {
    std::lock_guard lock(mutex_);
    unfit_[from.source_node].erase(given_up);
  }
  return kept();
}

}  // namespace eclosion
