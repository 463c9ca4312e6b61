// Numbers, what is kept until its receipt, and what came too early.
#include "host_order.h"

#include <algorithm>

namespace eclosion {

std::uint64_t SentOrder::next(std::uint32_t host) {
  std::lock_guard lock(mutex_);
  return ++hosts_[host].last;
}

void SentOrder::keep(const Frame& request, Branch& branch) {
  std::lock_guard lock(mutex_);
  Host& host = hosts_[host_of(branch.leg.gateway)];
  branch.leg.number = ++host.last;
  host.kept.emplace(branch.leg.number, Kept{request, branch});
}

void SentOrder::receipt(std::uint32_t host, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) return;
  auto& kept = found->second.kept;
  kept.erase(kept.begin(), kept.upper_bound(number));
}

std::vector<Kept> SentOrder::take_kept() {
  std::vector<Kept> all;
  std::lock_guard lock(mutex_);
  for (auto& [id, host] : hosts_) {
    for (auto& [number, kept] : host.kept) all.push_back(std::move(kept));
    host.kept.clear();
  }
  return all;
}

void SentOrder::forget(std::uint32_t host) {
  std::lock_guard lock(mutex_);
  hosts_.erase(host);
}

std::size_t SentOrder::kept() {
  std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [id, host] : hosts_) count += host.kept.size();
  return count;
}

std::vector<Frame> ReceivedOrder::take(std::uint32_t id, Frame frame,
                                       bool by_others) {
  std::lock_guard lock(mutex_);
  Host& host = hosts_[id];
  const std::uint64_t number = frame.header.number;
  if (by_others) {
    host.by_others = std::max(host.by_others, number);
    host.bytes += frame.header.body_length;
  }
  std::vector<Frame> now;
  if (number <= host.delivered) return now;
  if (number != host.delivered + 1) {
    host.early.try_emplace(number, std::move(frame));
    return now;
  }
  now.push_back(std::move(frame));
  ++host.delivered;
  for (auto next = host.early.begin();
       next != host.early.end() && next->first == host.delivered + 1;
       next = host.early.erase(next)) {
    now.push_back(std::move(next->second));
    ++host.delivered;
  }
  return now;
}

std::uint64_t ReceivedOrder::unreceipted(std::uint32_t id) {
  std::lock_guard lock(mutex_);
  const auto found = hosts_.find(id);
  if (found == hosts_.end() || !found->second.waits()) return 0;
  return std::max<std::uint64_t>(found->second.bytes, 1);
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> ReceivedOrder::receipts() {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> due;
  std::lock_guard lock(mutex_);
  for (auto& [id, host] : hosts_) {
    if (!host.waits()) continue;
    host.told = host.delivered;
    host.bytes = 0;
    due.emplace_back(id, host.told);
  }
  return due;
}

void ReceivedOrder::forget(std::uint32_t host) {
  std::lock_guard lock(mutex_);
  hosts_.erase(host);
}

}  // namespace eclosion
