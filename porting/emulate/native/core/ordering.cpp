// Vector clocks: points are joined when work is put, never when it runs.
#include "ordering.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace eclosion::emulator {

namespace {

struct Positions {
  std::mutex lock;
  Counts last;                      // of each timeline
  std::vector<std::uint32_t> free;  // timelines nobody has
};

struct HostClock {
  std::mutex lock;
  std::shared_ptr<const Counts> counts = std::make_shared<Counts>();
  std::uint64_t version = 0;
};

// Both live as long as the process: threads run while it ends.
Positions& positions() {
  static auto* all = new Positions;
  return *all;
}

HostClock& host_clock() {
  static auto* clock = new HostClock;
  return *clock;
}

std::uint32_t count_of(const Counts& counts, std::uint32_t timeline) noexcept {
  return timeline < counts.size() ? counts[timeline] : 0;
}

void join(Counts& counts, const Counts& others) {
  if (counts.size() < others.size()) counts.resize(others.size());
  for (std::size_t i = 0; i < others.size(); ++i)
    counts[i] = std::max(counts[i], others[i]);
}

std::uint32_t advance(std::uint32_t timeline) {
  Positions& all = positions();
  const std::scoped_lock guard(all.lock);
  return ++all.last[timeline];
}

// Whether the host's counts have to be joined, or are those of `point`.
bool is_current(const Ordering& point, std::uint64_t host_version) noexcept {
  return point.before && point.host_version == host_version;
}

}  // namespace

bool happens_before(const Ordering& first, const Ordering& second) noexcept {
  if (first.position == 0 || second.position == 0) return true;
  if (first.timeline == second.timeline)
    return first.position <= second.position;
  return second.before &&
         count_of(*second.before, first.timeline) >= first.position;
}

void join(Counts& counts, const Ordering& point) {
  if (point.before) join(counts, *point.before);
  if (point.position == 0) return;
  if (counts.size() <= point.timeline) counts.resize(point.timeline + 1);
  counts[point.timeline] = std::max(counts[point.timeline], point.position);
}

std::uint32_t Timelines::take() {
  Positions& all = positions();
  const std::scoped_lock guard(all.lock);
  if (all.free.empty()) {
    all.last.push_back(0);
    return static_cast<std::uint32_t>(all.last.size() - 1);
  }
  const std::uint32_t timeline = all.free.back();
  all.free.pop_back();
  return timeline;
}

void Timelines::give_back(std::uint32_t timeline) {
  Positions& all = positions();
  const std::scoped_lock guard(all.lock);
  all.free.push_back(timeline);
}

Ordering Timelines::next(std::uint32_t timeline,
                         std::span<const Ordering* const> after) {
  Ordering point;
  point.timeline = timeline;
  point.position = advance(timeline);
  std::shared_ptr<const Counts> host;
  {
    HostClock& clock = host_clock();
    const std::scoped_lock guard(clock.lock);
    point.host_version = clock.version;
    host = clock.counts;
  }
  // The usual case, work after work of one stream, copies nothing.
  if (after.size() == 1 && after[0]->timeline == timeline &&
      is_current(*after[0], point.host_version)) {
    point.before = after[0]->before;
    return point;
  }
  auto counts = std::make_shared<Counts>(*host);
  for (const Ordering* one : after) join(*counts, *one);
  point.before = std::move(counts);
  return point;
}

void host_saw(const Ordering& point) {
  if (point.position == 0) return;
  HostClock& clock = host_clock();
  const std::scoped_lock guard(clock.lock);
  if (count_of(*clock.counts, point.timeline) >= point.position) return;
  auto counts = std::make_shared<Counts>(*clock.counts);
  join(*counts, point);
  clock.counts = std::move(counts);
  ++clock.version;
}

bool is_seen_by_host(const Ordering& point) {
  HostClock& clock = host_clock();
  const std::scoped_lock guard(clock.lock);
  return point.position != 0 &&
         count_of(*clock.counts, point.timeline) >= point.position;
}

}  // namespace eclosion::emulator
