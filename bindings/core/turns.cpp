// The turn, and who waits beside it.
#include "turns.h"

#include <algorithm>

namespace eclosion {

void Turns::take() {
  wakes_ = resting_.count();
  turn_.lock();
  working_ = std::this_thread::get_id();
}

bool Turns::try_take() {
  asked_.fetch_add(1);
  if (!turn_.try_lock()) return false;
  working_ = std::this_thread::get_id();
  return true;
}

void Turns::leave() {
  working_ = std::thread::id();
  turn_.unlock();
  // Who came to wait aside before that has seen the turn taken.
  if (awaited()) resting_.open();
}

void Turns::rest() {
  // Since take(): also what it was woken for in its turn is looked at again.
  while (resting_.count() == wakes_) {
    const std::uint32_t asked = asked_.load();
    if (asked == known_ || awaited()) return;
    known_ = asked;
    resting_.wait(wakes_, Clock::now() + kRest);
  }
}

Gate::Woken Turns::wait_aside(Gate& gate, std::uint32_t seen,
                              Clock::time_point deadline) {
  const std::pair<const Gate*, std::uint32_t> row{&gate, seen};
  {
    std::lock_guard lock(aside_mutex_);
    aside_.push_back(row);
  }
  // Whoever left before that did not see it.
  const bool taken = !turn_.try_lock();
  auto woken = Gate::Woken::kChanged;
  if (taken)
    woken = gate.wait(seen, deadline);
  else
    turn_.unlock();
  {
    std::lock_guard lock(aside_mutex_);
    aside_.erase(std::find(aside_.begin(), aside_.end(), row));
  }
  // Another may have found the turn taken by this one's look.
  if (!taken && awaited()) resting_.open();
  return woken;
}

bool Turns::awaited() {
  std::lock_guard lock(aside_mutex_);
  return std::any_of(aside_.begin(), aside_.end(), [](const auto& row) {
    return row.first->count() == row.second;
  });
}

}  // namespace eclosion
