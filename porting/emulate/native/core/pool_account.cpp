// What a pool has reserved of its device, and which stream may take of it.
//
// reserved >= used + all that is pending: what a stream takes of its own
// pending bytes is pending no more.
#include <algorithm>
#include <utility>

#include "memory_state.h"
#include "pool.h"
#include "shadow.h"
#include "stream.h"

namespace eclosion::emulator {

namespace {

// Pools reserve in steps of it where the device has as much.
constexpr std::size_t kStep = std::size_t{2} << 20;

}  // namespace

// Bytes that were freed and not taken again.
std::size_t Pool::pending() const {
  std::size_t bytes = 0;
  for (const Pending& one : pending_) bytes += one.bytes;
  return bytes;
}

// Bytes that are reserved and that a stream may have now.
std::size_t Pool::free_for(std::uint64_t stream) const {
  std::size_t bytes = figures_.reserved - figures_.used;
  for (const Pending& one : pending_) {
    if (one.stream != stream) bytes -= one.bytes;
  }
  return bytes;
}

// Give a stream bytes that it may have: those that are nobody's, then those
// that it has freed itself.
void Pool::use(std::size_t bytes, std::uint64_t stream) {
  const std::size_t fresh = figures_.reserved - figures_.used - pending();
  std::size_t again = bytes > fresh ? bytes - fresh : 0;
  for (Pending& one : pending_) {
    if (one.stream != stream) continue;
    const std::size_t part = std::min(again, one.bytes);
    one.bytes -= part;
    again -= part;
  }
  std::erase_if(pending_, [](const Pending& one) { return one.bytes == 0; });
  figures_.used += bytes;
  figures_.used_high = std::max(figures_.used_high, figures_.used);
}

// A stream may take what has been freed in another one when it is done, by the
// rule, or when the program has waited for it.
void Pool::forget_done(bool is_synchronised) {
  if (!is_synchronised && !rules_.allow_opportunistic) return;
  std::erase_if(pending_,
                [](const Pending& pending) { return pending.is_done->load(); });
}

bool Pool::grow(std::size_t bytes) {
  MemoryState& state = memory_state();
  const std::lock_guard lock(state.mutex);
  for (const std::size_t step : {align_up(bytes, kStep), bytes}) {
    if (step > most_ || figures_.reserved > most_ - step) continue;
    if (!state.charge(device_, step)) continue;
    figures_.reserved += step;
    figures_.reserved_high =
        std::max(figures_.reserved_high, figures_.reserved);
    return true;
  }
  return false;
}

// Order `stream` behind frees of other streams till it may have enough.
bool Pool::wait_for_others(std::size_t bytes, Stream& stream) {
  if (!rules_.allow_internal_dependencies) return false;
  for (Pending& pending : pending_) {
    if (free_for(stream.id()) >= bytes) break;
    const StreamRef other = pending.freed_in.lock();
    if (!other || pending.stream == stream.id()) continue;
    const auto event =
        std::make_shared<Event>(other->device(), Event::kDisableTiming);
    if (event->record(*other) != Status::kSuccess) continue;
    if (stream.wait(event) != Status::kSuccess) continue;
    pending.stream = stream.id();
  }
  return free_for(stream.id()) >= bytes;
}

bool Pool::try_take(std::size_t bytes, Stream& stream) {
  forget_done(false);
  const std::size_t free = free_for(stream.id());
  if (bytes > free && !grow(bytes - free) && !wait_for_others(bytes, stream)) {
    return false;
  }
  use(bytes, stream.id());
  return true;
}

bool Pool::take(std::size_t bytes, Stream& stream) {
  {
    const std::lock_guard lock(mutex_);
    if (try_take(bytes, stream)) return true;
  }
  // Other pools may hold what nobody uses.
  trim_pools(device_);
  const std::lock_guard lock(mutex_);
  return try_take(bytes, stream);
}

void Pool::give(std::size_t bytes, Pending pending) {
  const std::lock_guard lock(mutex_);
  figures_.used -= bytes;
  if (pending.is_done) pending_.push_back(std::move(pending));
}

void Pool::shrink(std::size_t keep) {
  forget_done(true);
  const std::size_t needed =
      std::max<std::size_t>(figures_.used + pending(), keep);
  if (figures_.reserved <= needed) return;
  MemoryState& state = memory_state();
  const std::lock_guard lock(state.mutex);
  state.refund(device_, figures_.reserved - needed);
  figures_.reserved = needed;
}

void Pool::trim(std::size_t keep) {
  const std::lock_guard lock(mutex_);
  shrink(keep);
}

Pool::Figures Pool::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

void Pool::reset_reserved_high() {
  const std::lock_guard lock(mutex_);
  figures_.reserved_high = figures_.reserved;
}

void Pool::reset_used_high() {
  const std::lock_guard lock(mutex_);
  figures_.used_high = figures_.used;
}

Pool::Rules Pool::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

void Pool::set_rules(const Rules& rules) {
  const std::lock_guard lock(mutex_);
  rules_ = rules;
}

}  // namespace eclosion::emulator
