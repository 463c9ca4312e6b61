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
  Frame whole = frame_for(request, abroad.begin()->second);
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
        undeliverable(frame_for(request, branch),
                      std::string("!") + error.what());
      return;
    }
    for (std::size_t i = 0; i < branches.size(); ++i) release(request);
    request = std::move(flat);
  }
  transmit_all(trees_.for_hosts(request, std::move(branches), is_dead_));
}

void Node::transmit_all(std::vector<Frame> frames) {
  for (Frame& frame : frames) transmit(std::move(frame));
}

void Node::pass_on(const Frame& tree) {
  std::vector<Frame> frames = trees_.pass_on(tree);
  Frame own = std::move(frames.back());
  frames.pop_back();
  transmit_all(std::move(frames));
  in_order(std::move(own), true);
}

// For a message of another host that is for this one.
void Node::in_order(Frame frame, bool by_others) {
  const NodeId source = frame.header.source_node;
  if (is_dead_(gateway_of(source))) return;
  std::exception_ptr malformed;
  for (Frame& next : trees_.in_turn(std::move(frame), by_others)) {
    try {
      deliver(std::move(next));
    } catch (const FrameError&) {
      // The others have had their turn now, or never.
      malformed = std::current_exception();
    }
  }
  if (malformed) std::rethrow_exception(malformed);
  const std::uint64_t bytes = trees_.unreceipted(host_of(source));
  if (bytes >= kReceiptBytes) return transmit_all(trees_.receipts());
  if (bytes == 0 || receipts_due_) return;
  receipts_due_ = true;
  loop_.after(kReceiptPause, [this] {
    receipts_due_ = false;
    transmit_all(trees_.receipts());
  });
}

void Node::deliver(Frame frame) {
  if (frame.header.kind != FrameKind::kCast) return transmit(std::move(frame));
  spread(frame, targets_of(frame), without_rows(frame));
}

}  // namespace eclosion
