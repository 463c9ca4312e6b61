// Which work happens before which, as vector clocks.
//
// Work of one stream lies on one timeline. A point knows how much of every
// timeline happens before it: what its stream, the events it waited for, the
// legacy stream's rule and the host, when it put the work, have seen.
//
// ORD-1 There is one clock for the host, not one per thread: what one thread
//       learned by waiting, another may learn from it by means that cannot be
//       seen here. So orders may be assumed that are not there, and races be
//       missed; none is invented.
// ORD-2 A timeline that is given back is used again with its count going on,
// for
//       the same reason.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace eclosion::emulator {

// How much of each timeline, by the timeline's index; what is missing is 0.
using Counts = std::vector<std::uint32_t>;

struct Ordering {
  std::uint32_t timeline = 0;
  std::uint32_t position = 0;  // on the timeline, from 1; 0: on none
  std::shared_ptr<const Counts> before;
  std::uint64_t host_version = 0;  // of the host's clock that is in `before`
};

// Whether `first` happens before `second`, or is it.
bool happens_before(const Ordering& first, const Ordering& second) noexcept;

// `counts`, with a point and all before it added.
void join(Counts& counts, const Ordering& point);

class Timelines {
 public:
  static std::uint32_t take();
  static void give_back(std::uint32_t timeline);
  // The next point of a timeline, after `after` and what the host has seen.
  static Ordering next(std::uint32_t timeline,
                       std::span<const Ordering* const> after);
};

// The host has seen that this point is reached.
void host_saw(const Ordering& point);
// Whether the host has seen it.
bool is_seen_by_host(const Ordering& point);

}  // namespace eclosion::emulator
