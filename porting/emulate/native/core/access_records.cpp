// A ring of records, each in a place that its number gives.
#include "access_records.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace eclosion::emulator {

namespace {

// What is kept of an operation: names are few and kept once.
struct Kept {
  std::uint32_t number = 0;
  std::uint32_t timeline = 0;
  std::uint32_t position = 0;
  const std::string* what = nullptr;
  const void* site = nullptr;
};

}  // namespace

struct AccessRecords::State {
  mutable std::mutex lock;
  std::vector<Kept> ring;  // grows to kKept
  std::set<std::string> names;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;

  const Kept* find(std::uint32_t number) const {
    const std::size_t place = number % kKept;
    if (place >= ring.size() || ring[place].number != number) return nullptr;
    return &ring[place];
  }
};

AccessRecords::AccessRecords() : state_(new State) {}

// It lives as long as the process: threads run while it ends.
AccessRecords& AccessRecords::get() {
  static auto* records = new AccessRecords;
  return *records;
}

void AccessRecords::add(const Operation& operation) {
  const std::scoped_lock guard(state_->lock);
  const std::size_t place = operation.number() % kKept;
  if (state_->ring.size() <= place) {
    const std::size_t wanted = std::max(place + 1, 2 * state_->ring.size());
    state_->ring.resize(std::min<std::size_t>(wanted, kKept));
  }
  const Ordering& order = operation.order();
  state_->ring[place] = {operation.number(), order.timeline, order.position,
                         &*state_->names.insert(operation.title().what).first,
                         operation.title().site};
}

std::optional<AccessRecords::Record> AccessRecords::find(
    std::uint32_t number) const {
  const std::scoped_lock guard(state_->lock);
  const Kept* kept = state_->find(number);
  if (!kept) return std::nullopt;
  Record record;
  record.number = number;
  record.point.timeline = kept->timeline;
  record.point.position = kept->position;
  record.title = {*kept->what, kept->site};
  return record;
}

bool AccessRecords::is_before(std::uint32_t number,
                              const Operation& operation) const {
  Ordering point;
  {
    const std::scoped_lock guard(state_->lock);
    const Kept* kept = state_->find(number);
    if (!kept) return true;
    point.timeline = kept->timeline;
    point.position = kept->position;
  }
  return happens_before(point, operation.order());
}

bool AccessRecords::is_new_pair(std::uint32_t one, std::uint32_t other) {
  const std::scoped_lock guard(state_->lock);
  return state_->pairs.insert(std::minmax(one, other)).second;
}

}  // namespace eclosion::emulator
