// core/shared_shadow: four bytes that are looked at once are told the same as
// four that are looked at one by one; and so is the fast path.
#include "shared_shadow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <vector>

using namespace eclosion::emulator;

namespace {

constexpr std::size_t kBytes = 24;  // so few that threads meet
constexpr unsigned kWave = 32;

struct Step {
  std::size_t offset;
  unsigned size;
  unsigned thread;
  unsigned block_epoch;
  unsigned wave_epoch;
  bool is_write;
  bool is_atomic;

  Author author() const {
    return Author::of(thread, kWave, block_epoch, wave_epoch);
  }
};

// All accesses, and the rule of shared_shadow.h as it is said there.
class Everything {
 public:
  // Whether an earlier access to a byte of this one is in no order with it.
  bool races(const Step& now) const {
    return std::any_of(past_.begin(), past_.end(), [&](const Step& before) {
      return overlap(before, now) && (before.is_write || now.is_write) &&
             !(before.is_atomic && now.is_atomic) && !is_ordered(before, now);
    });
  }
  void add(const Step& step) { past_.push_back(step); }

 private:
  static bool overlap(const Step& one, const Step& other) {
    return one.offset < other.offset + other.size &&
           other.offset < one.offset + one.size;
  }
  static bool is_ordered(const Step& before, const Step& now) {
    if (before.thread == now.thread) return true;
    if (before.block_epoch != now.block_epoch) return true;
    return before.thread / kWave == now.thread / kWave &&
           before.wave_epoch != now.wave_epoch;
  }
  std::vector<Step> past_;
};

// Bytes one by one; no cell ever has the records of several.
class OneByOne {
 public:
  OneByOne() : shadow_(kBytes * kSharedCellBytes) {
    shadow_.enclose(0, kBytes * kSharedCellBytes);
  }
  std::optional<SharedConflict> note(const Step& step) {
    std::optional<SharedConflict> found;
    for (unsigned byte = 0; byte < step.size; ++byte) {
      const auto conflict =
          shadow_.note((step.offset + byte) * kSharedCellBytes + 1, 1,
                       step.author(), step.is_write, step.is_atomic);
      if (!found) found = conflict;
    }
    return found;
  }

 private:
  SharedShadow shadow_;
};

bool note_usual(SharedCell& cell, const Step& step) {
  if (!step.is_write) return note_usual_read(cell, step.author());
  return step.is_atomic ? note_usual_atomic(cell, step.author())
                        : note_usual_write(cell, step.author());
}

// As access_fast_path.h does it.
bool note_usual(SharedShadow& shadow, const Step& step) {
  if (step.offset % step.size != 0) return false;
  SharedCell* cell = shadow.cells() + step.offset / kSharedCellBytes;
  std::size_t count = step.size / kSharedCellBytes;
  if (count == 0) {
    if (cell->write != SharedRecord::kBytesDiffer) return false;
    cell = shadow.bytes() + step.offset;
    count = step.size;
  }
  return std::all_of(cell, cell + count,
                     [&](SharedCell& each) { return note_usual(each, step); });
}

bool is_same(const std::optional<SharedConflict>& one,
             const std::optional<SharedConflict>& other) {
  if (!one || !other) return !one == !other;
  return one->thread == other->thread && one->was_write == other->was_write;
}

class Steps {
 public:
  explicit Steps(unsigned seed) : random_(seed) {}

  Step next() {
    if (pick(6) == 0) ++wave_epochs_[pick(std::size(wave_epochs_))];
    if (pick(12) == 0) {
      ++block_epoch_;
      wave_epochs_ = {};
    }
    constexpr std::array kSizes{1U, 2U, 4U, 4U, 4U, 8U};
    constexpr std::array kThreads{0U, 1U, 2U, 32U, 33U, 70U};
    const unsigned size = kSizes[pick(kSizes.size())];
    const unsigned thread = kThreads[pick(kThreads.size())];
    const bool is_aligned = pick(4) != 0;
    std::size_t offset = pick(kBytes - size + 1);
    if (is_aligned) offset -= offset % size;
    const unsigned kind = pick(5);
    return {
        offset,   size,     thread, block_epoch_, wave_epochs_[thread / kWave],
        kind < 2, kind == 0};
  }

 private:
  unsigned pick(std::size_t count) {
    return static_cast<unsigned>(random_() % count);
  }
  std::mt19937 random_;
  unsigned block_epoch_ = 0;
  std::array<unsigned, 3> wave_epochs_{};
};

std::optional<SharedConflict> read_by(SharedShadow& shadow, unsigned thread,
                                      unsigned wave_epoch) {
  return shadow.note(0, 4, Author::of(thread, kWave, 0, wave_epoch), false,
                     false);
}

std::optional<SharedConflict> write_by(SharedShadow& shadow, unsigned thread,
                                       unsigned wave_epoch) {
  return shadow.note(0, 4, Author::of(thread, kWave, 0, wave_epoch), true,
                     false);
}

}  // namespace

TEST_CASE("cells and the fast path tell what bytes one by one tell") {
  std::size_t conflicts = 0;
  std::size_t usual = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SharedShadow shadow(kBytes);
    shadow.enclose(0, kBytes);
    OneByOne model;
    Steps steps(seed);
    for (int count = 0; count < 400; ++count) {
      const Step step = steps.next();
      const auto wanted = model.note(step);
      std::optional<SharedConflict> told;
      if (note_usual(shadow, step)) {
        ++usual;
      } else {
        told = shadow.note(step.offset, step.size, step.author(), step.is_write,
                           step.is_atomic);
      }
      REQUIRE(is_same(told, wanted));
      conflicts += wanted ? 1 : 0;
    }
  }
  CHECK(conflicts > 1000);
  CHECK(usual > 1000);
}

TEST_CASE("what is told is a race") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SharedShadow shadow(kBytes);
    shadow.enclose(0, kBytes);
    Everything everything;
    Steps steps(seed);
    for (int count = 0; count < 200; ++count) {
      const Step step = steps.next();
      const bool is_told = shadow
                               .note(step.offset, step.size, step.author(),
                                     step.is_write, step.is_atomic)
                               .has_value();
      if (is_told) REQUIRE(everything.races(step));
      everything.add(step);
    }
  }
}

TEST_CASE("a thread that reads again after a barrier of its wave may write") {
  SharedShadow shadow(kBytes);
  shadow.enclose(0, kBytes);
  CHECK(!read_by(shadow, 0, 0));
  CHECK(!read_by(shadow, 1, 0));
  CHECK(!read_by(shadow, 1, 1));
  CHECK(!write_by(shadow, 1, 1));
  const auto told = write_by(shadow, 0, 1);
  REQUIRE(told);
  CHECK(told->was_write);
}

TEST_CASE("what lies outside of variables is left to the check") {
  SharedShadow shadow(kBytes);
  shadow.enclose(8, 6);
  const Author author = Author::of(3, kWave, 0, 0);
  CHECK(!note_usual_read(shadow.cells()[1], author));
  CHECK(note_usual_read(shadow.cells()[2], author));
  CHECK(!note_usual_write(shadow.cells()[3], author));  // two bytes of it
  CHECK(!shadow.note(12, 2, author, true, false));
  const Author later = Author::of(4, kWave, 1, 0);
  CHECK(!shadow.note(12, 2, later, true, false));
  CHECK(!note_usual_read(shadow.cells()[3], later));
  shadow.exclude(8, 6);
  CHECK(!note_usual_read(shadow.cells()[2], later));
}
