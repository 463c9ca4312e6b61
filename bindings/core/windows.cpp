// Counting what is under way.
#include "windows.h"

#include <algorithm>

namespace eclosion {

bool Windows::try_take(std::span<const Load> messages) {
  std::lock_guard lock(mutex_);
  for (const auto& [target, bytes] : messages) {
    auto found = used_.find({target.node, target.actor});
    if (found != used_.end() && !has_room(found->second, bytes)) return false;
  }
  for (const auto& [target, bytes] : messages) {
    Used& used = used_[{target.node, target.actor}];
    used.messages += 1;
    used.bytes += bytes;
  }
  return true;
}

void Windows::give(const Target& target, std::uint64_t messages,
                   std::uint64_t size) {
  {
    std::lock_guard lock(mutex_);
    auto found = used_.find({target.node, target.actor});
    if (found == used_.end()) return;
    Used& used = found->second;
    used.messages -= std::min(used.messages, messages);
    used.bytes -= std::min(used.bytes, size);
    if (used.messages == 0) used_.erase(found);
  }
  gate_.open();
}

void Windows::forget(NodeId node) {
  {
    std::lock_guard lock(mutex_);
    std::erase_if(used_,
                  [node](const auto& row) { return row.first.node == node; });
  }
  gate_.open();
}

void Windows::forget_host(std::uint32_t host) {
  {
    std::lock_guard lock(mutex_);
    std::erase_if(used_, [host](const auto& row) {
      return host_of(row.first.node) == host;
    });
  }
  gate_.open();
}

std::size_t Windows::size() {
  std::lock_guard lock(mutex_);
  return used_.size();
}

bool Credits::knows(NodeId sender) {
  std::lock_guard lock(mutex_);
  return counts_.contains(sender);
}

std::size_t Credits::size() {
  std::lock_guard lock(mutex_);
  std::size_t pairs = 0;
  for (const auto& [sender, counts] : counts_) pairs += counts.size();
  return pairs;
}

Credits::Due Credits::taken(NodeId sender, ActorId mailbox,
                            std::uint64_t size) {
  std::lock_guard lock(mutex_);
  Due& count = counts_[sender][mailbox];
  count.messages += 1;
  count.bytes += size;
  if (count.messages < messages_ && count.bytes < bytes_) return {};
  const Due due = count;
  count = {};
  return due;
}

void Credits::forget(NodeId sender) {
  std::lock_guard lock(mutex_);
  counts_.erase(sender);
}

std::vector<std::pair<NodeId, Credits::Due>> Credits::close(ActorId mailbox) {
  std::vector<std::pair<NodeId, Due>> all;
  std::lock_guard lock(mutex_);
  for (auto& [sender, counts] : counts_) {
    auto found = counts.find(mailbox);
    if (found == counts.end()) continue;
    if (found->second.messages != 0) all.emplace_back(sender, found->second);
    counts.erase(found);
  }
  return all;
}

void Credits::forget_host(std::uint32_t host) {
  std::lock_guard lock(mutex_);
  std::erase_if(counts_,
                [host](const auto& row) { return host_of(row.first) == host; });
}

}  // namespace eclosion
