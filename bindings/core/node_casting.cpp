// Messages for many: one frame for each host, and trees of hosts.
#include <exception>
#include <utility>

#include "flattening.h"
#include "node.h"

namespace eclosion {
namespace {

// How long receipts wait for each other, unless there is more than that to
// keep for their sender.
constexpr Clock::duration kReceiptPause = std::chrono::milliseconds(20);
constexpr std::uint64_t kReceiptBytes = 4 << 20;

Frame frame_of(const Frame& request, const Branch& branch) {
  if (branch.leg.number != 0 || branch.targets.size() > 1)
    return cast_of(request, branch.targets);
  return for_target(request, branch.targets.front(), request.body);
}

}  // namespace

// One frame for each target on this host, one for each other host: a process
// leaves those to its gateway, by one frame for all.
void Node::spread(const Frame& frame, std::span<const Target> targets,
                  const std::shared_ptr<const Bytes>& body) {
  std::map<std::uint32_t, Branch> abroad;
  for (const Target& target : targets) {
    if (host_of(target.node) == host_of(id())) {
      transmit(for_target(frame, target, body));
    } else {
      Branch& branch = abroad[is_gateway() ? host_of(target.node) : 0];
      branch.leg.gateway = gateway_of(target.node);
      branch.targets.push_back(target);
    }
  }
  if (abroad.empty()) return;
  const Frame request = for_target(frame, {}, body);
  if (is_gateway()) {
    std::vector<Branch> branches;
    for (auto& [host, branch] : abroad) branches.push_back(std::move(branch));
    return spread_abroad(request, std::move(branches));
  }
  Frame whole = frame_of(request, abroad.begin()->second);
  // Not one of the group, which may be dead while the others live.
  if (whole.header.kind == FrameKind::kCast)
    whole.header.target_node = gateway_of(id());
  transmit(std::move(whole));
}

void Node::spread_abroad(Frame request, std::vector<Branch> branches) {
  if (request.segment) {
    // Copied out of it once for all, and so once more for each that was
    // counted as a reader.
    Frame flat;
    try {
      std::uint64_t rows = 0;
      for (const Branch& branch : branches)
        rows += room_for_rows(branch.targets.size());
      flat = flattened(request, segment_reader_, settings_.max_frame - rows);
    } catch (const std::exception& error) {
      for (const Branch& branch : branches)
        undeliverable(frame_of(request, branch),
                      std::string("!") + error.what());
      return;
    }
    for (std::size_t i = 0; i < branches.size(); ++i) release(request);
    request = std::move(flat);
  }
  if (settings_.cast_fanout != 0 && branches.size() > settings_.cast_fanout)
    return grow_tree(request, std::move(branches));
  for (const Branch& branch : branches) transmit(frame_of(request, branch));
}

// What is lost with a host in between is sent again, on ways of its own.
void Node::grow_tree(const Frame& request, std::vector<Branch> branches) {
  std::vector<Branch> fit;
  for (Branch& branch : branches) {
    const NodeId gateway = branch.leg.gateway;
    if (cannot_pass_on(gateway) || obituary_of(gateway)) {
      transmit(frame_of(request, branch));
      continue;
    }
    sent_order_.keep(request, branch);
    fit.push_back(std::move(branch));
  }
  for (const auto part : parts_of(fit, settings_.cast_fanout))
    transmit(tree_of(request, part));
}

bool Node::cannot_pass_on(NodeId gateway) {
  std::lock_guard lock(trees_mutex_);
  const auto found = unfit_.find(gateway);
  return found != unfit_.end() && !found->second.empty();
}

// The first host of a tree is this one, the others are behind it.
void Node::pass_on(const Frame& tree) {
  const std::vector<Branch> branches = branches_of(tree);
  if (branches.front().leg.gateway != id())
    throw FrameError("malformed frame: a tree that does not begin here");
  const NodeId origin = gateway_of(tree.header.source_node);
  const Frame request = for_target(tree, {}, without_rows(tree));
  const std::size_t fanout =
      settings_.cast_fanout == 0 ? branches.size() : settings_.cast_fanout;
  for (const auto part : parts_of(std::span(branches).subspan(1), fanout)) {
    {
      std::lock_guard lock(trees_mutex_);
      trees_[host_of(part.front().leg.gateway)].insert(origin);
    }
    transmit(tree_of(request, part));
  }
  Frame own = frame_of(request, branches.front());
  own.header.number = branches.front().leg.number;
  in_order(std::move(own), true);
}

// For a message of another host that is for this one.
void Node::in_order(Frame frame, bool by_others) {
  const NodeId source = frame.header.source_node;
  if (obituary_of(gateway_of(source))) return;
  const std::uint32_t host = host_of(source);
  std::exception_ptr malformed;
  for (Frame& next : received_order_.take(host, std::move(frame), by_others)) {
    next.header.number = 0;
    try {
      deliver(std::move(next));
    } catch (const FrameError&) {
      // The others have had their turn now, or never.
      malformed = std::current_exception();
    }
  }
  if (malformed) std::rethrow_exception(malformed);
  const std::uint64_t bytes = received_order_.unreceipted(host);
  if (bytes >= kReceiptBytes) return send_receipts();
  if (bytes == 0 || receipts_due_) return;
  receipts_due_ = true;
  loop_.after(kReceiptPause, [this] {
    receipts_due_ = false;
    send_receipts();
  });
}

void Node::deliver(Frame frame) {
  if (frame.header.kind != FrameKind::kCast) return transmit(std::move(frame));
  spread(frame, targets_of(frame), without_rows(frame));
}

void Node::send_receipts() {
  for (const auto& [host, number] : received_order_.receipts()) {
    const NodeId sender = static_cast<NodeId>(host) << 32;
    Frame receipt = base_frame(FrameKind::kReceipt, sender);
    receipt.header.request = number;
    transmit(std::move(receipt));
  }
}

// While the host that another gave up lives for this one, that other is asked
// to pass nothing on.
void Node::on_return(NodeId relay, NodeId lost) {
  {
    std::lock_guard lock(trees_mutex_);
    unfit_[relay].insert(lost);
  }
  if (obituary_of(lost)) {
    std::lock_guard lock(trees_mutex_);
    unfit_[relay].erase(lost);
  }
  send_kept();
}

void Node::send_kept() {
  for (const Kept& kept : sent_order_.take_kept()) {
    Frame again = frame_of(kept.request, kept.branch);
    again.header.number = kept.branch.leg.number;
    transmit(std::move(again));
  }
}

// What was on the way to that host from here may be lost, for it and for those
// behind it.
void Node::return_trees(std::uint32_t host) {
  const NodeId lost = static_cast<NodeId>(host) << 32;
  std::unordered_set<NodeId> origins;
  {
    std::lock_guard lock(trees_mutex_);
    unfit_.erase(lost);
    for (auto& [relay, given_up] : unfit_) given_up.erase(lost);
    for (auto& [next, senders] : trees_) senders.erase(lost);
    if (auto found = trees_.extract(host)) origins = std::move(found.mapped());
  }
  for (const NodeId origin : origins) return_to(origin, lost);
}

void Node::return_to(NodeId origin, NodeId lost) {
  Frame frame = base_frame(FrameKind::kReturn, origin);
  frame.header.request = lost;
  transmit(std::move(frame));
}

void Node::returned(const Frame& tree) {
  const NodeId origin = gateway_of(tree.header.source_node);
  if (origin == id()) return send_kept();
  if (!obituary_of(origin)) return_to(origin, tree.header.target_node);
}

}  // namespace eclosion
