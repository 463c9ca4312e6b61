// Waiting by a futex, which signals end.
#include "gate.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

namespace eclosion {
namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word),
                   operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr,
                   FUTEX_BITSET_MATCH_ANY);
}

// FUTEX_WAIT_BITSET takes a deadline of the monotonic clock.
timespec of(Clock::time_point deadline) {
  auto since = deadline.time_since_epoch();
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  auto rest =
      std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds);
  return {static_cast<time_t>(seconds.count()),
          static_cast<long>(rest.count())};
}

}  // namespace

Gate::Woken Gate::wait(std::uint32_t seen, Clock::time_point deadline) {
  if (count() != seen) return Woken::kChanged;
  if (deadline == kNow) return Woken::kTimeout;
  if (changes_soon(seen, deadline)) return Woken::kChanged;
  waiting_.fetch_add(1);
  timespec at{};
  if (deadline != kNever) at = of(deadline);
  long result = futex(count_, FUTEX_WAIT_BITSET, seen,
                      deadline == kNever ? nullptr : &at);
  const int error = result == 0 ? 0 : errno;
  waiting_.fetch_sub(1);
  if (count() != seen) return Woken::kChanged;
  if (error == EINTR) return Woken::kSignal;
  if (error == ETIMEDOUT) return Woken::kTimeout;
  return Woken::kChanged;  // woken for no reason: the caller looks again
}

bool Gate::changes_soon(std::uint32_t seen, Clock::time_point deadline) const {
  if (awake_ == Clock::duration::zero()) return false;
  const auto until = std::min(deadline, Clock::now() + awake_);
  do {
    if (count() != seen) return true;
    ::sched_yield();
  } while (Clock::now() < until);
  return count() != seen;
}

void Gate::open() {
  count_.fetch_add(1);
  if (waiting_.load() != 0) futex(count_, FUTEX_WAKE, INT_MAX, nullptr);
  if (const Descriptor* also = also_.load()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] auto written = ::write(also->get(), &one, sizeof(one));
  }
}

}  // namespace eclosion
