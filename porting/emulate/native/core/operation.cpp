// Operations are numbered in the order in which they were asked for.
#include "operation.h"

#include <utility>

namespace eclosion::emulator {

namespace {

constexpr std::uint32_t kMostOperations = (1U << 27) - 1;

// Numbers share their word of the shadow with a flag, so they have 31 bits.
// After two milliards they begin again, and 0 stays "none".
std::uint32_t next_number() noexcept {
  static std::atomic<std::uint32_t> last{0};
  for (;;) {
    const std::uint32_t number = (last.fetch_add(1) + 1) & kMostOperations;
    if (number != 0) return number;
  }
}

}  // namespace

Operation::Operation(int device, Title title, Body body) noexcept
    : Operation(device, std::move(title), std::move(body), {}, {}, {}) {}

Operation::Operation(int device, Title title, Body body, Traits traits,
                     std::vector<AccessRange> ranges, Ordering order) noexcept
    : device_(device),
      title_(std::move(title)),
      body_(std::move(body)),
      traits_(traits),
      ranges_(std::move(ranges)),
      order_(std::move(order)),
      number_(next_number()) {}

}  // namespace eclosion::emulator
