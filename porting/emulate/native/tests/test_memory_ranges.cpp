// core/free_ranges, core/shadow, core/ledger and core/memory_state: what is
// computed without memory.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <map>
#include <random>
#include <vector>

#include "free_ranges.h"
#include "ledger.h"
#include "memory_file.h"
#include "memory_settings.h"
#include "memory_state.h"
#include "shadow.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

TEST_CASE("free ranges when neighbours are given back") {
  FreeRanges free;
  free.give(1000, 100);
  free.give(1200, 100);
  CHECK(free.count() == 2);
  const auto whole = free.give(1100, 100);
  CHECK(whole.base == 1000);
  CHECK(whole.size == 300);
  CHECK(free.count() == 1);
  CHECK(free.bytes() == 300);
}

TEST_CASE("free ranges when the smallest that fits is taken") {
  FreeRanges free;
  free.give(1000, 100);
  free.give(2000, 50);
  free.give(3000, 70);
  CHECK(free.take(60, 1) == 3000);
  CHECK(free.take(50, 1) == 2000);
  CHECK(free.take(11, 1) == 1000);
  CHECK(free.take(90, 1) == std::nullopt);
  CHECK(free.take(89, 1) == 1011);
  CHECK(free.take(11, 1) == std::nullopt);
  CHECK(free.take(10, 1) == 3060);
  CHECK(free.bytes() == 0);
}

TEST_CASE("free ranges when a place or an alignment is asked for") {
  FreeRanges free;
  free.give(1000, 1000);
  CHECK(free.take(100, 256) == 1024);
  CHECK(free.count() == 2);
  CHECK_FALSE(free.take_at(1000, 25));
  CHECK(free.take_at(1010, 10));
  CHECK_FALSE(free.take_at(1015, 1));
  CHECK_FALSE(free.take_at(900, 10));
  CHECK_FALSE(free.take_at(2000, 1));
  CHECK(free.take_at(1999, 1));
  CHECK(free.bytes() == 1000 - 100 - 10 - 1);
}

TEST_CASE("free ranges when they are used at random") {
  std::mt19937 random(7);
  FreeRanges free;
  free.give(4096, 1 << 20);
  std::map<std::uintptr_t, std::size_t> taken;
  for (int step = 0; step < 20000; ++step) {
    if (taken.empty() || random() % 2 == 0) {
      const std::size_t size = 1 + random() % 5000;
      const std::size_t alignment = std::size_t{1} << (random() % 10);
      const auto base = free.take(size, alignment);
      if (!base) continue;
      CHECK(*base % alignment == 0);
      const auto next = taken.lower_bound(*base);
      CHECK((next == taken.end() || *base + size <= next->first));
      CHECK((next == taken.begin() ||
             std::prev(next)->first + std::prev(next)->second <= *base));
      taken[*base] = size;
    } else {
      auto victim = taken.lower_bound(random() % (1 << 20));
      if (victim == taken.end()) victim = taken.begin();
      free.give(victim->first, victim->second);
      taken.erase(victim);
    }
  }
  for (const auto& [base, size] : taken) free.give(base, size);
  CHECK(free.count() == 1);
  CHECK(free.bytes() == 1 << 20);
}

TEST_CASE("shadow when it is asked byte by byte") {
  constexpr std::size_t kSpan = 8 * kGranule;
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257},
        std::size_t{1000}, std::size_t{1024}}) {
    CAPTURE(size);
    std::array<std::uint16_t, 8> shadow{};
    shadow_allow(shadow.data(), kGranule, size);
    for (std::size_t at = 0; at < kSpan; ++at) {
      const bool inside = at >= kGranule && at < kGranule + size;
      const std::size_t left = inside ? kGranule + size - at : 0;
      for (const std::size_t bytes : {1, 4, 16}) {
        if (at + bytes > kSpan) continue;
        CHECK(shadow_allows(shadow.data(), at, bytes) ==
              (inside && bytes <= left));
      }
    }
    shadow_forbid(shadow.data(), kGranule, size);
    CHECK(shadow == std::array<std::uint16_t, 8>{});
  }
}

TEST_CASE("records when ranges touch and overlap") {
  Records records;
  Record record;
  record.allocation.base = 1000;
  record.allocation.size = 100;
  records.add(record);
  CHECK(records.find(999) == nullptr);
  CHECK(records.find(1000) != nullptr);
  CHECK(records.find(1099) != nullptr);
  CHECK(records.find(1100) == nullptr);
  CHECK(records.at(1001) == nullptr);
  CHECK(records.overlaps(0, 1001));
  CHECK(records.overlaps(1099, 1));
  CHECK(records.overlaps(900, 5000));
  CHECK_FALSE(records.overlaps(0, 1000));
  CHECK_FALSE(records.overlaps(1100, 1000));
}

TEST_CASE("addresses when they rest") {
  Freed freed;
  for (std::size_t i = 0; i < Freed::kRestCount; ++i) {
    freed.rest({i, 128 * kKiB, false});
  }
  CHECK_FALSE(freed.wake(false).has_value());
  freed.rest({5000, 1, true});
  const auto first = freed.wake(false);
  REQUIRE(first.has_value());
  CHECK(first->base == 0);
  CHECK_FALSE(freed.wake(false).has_value());
  CHECK(freed.wake(true)->base == 1);
  // Many small ones are few bytes; they rest till there are too many of them.
  Freed small;
  for (std::size_t i = 0; i < Freed::kMostResting; ++i)
    small.rest({i, 1, true});
  CHECK_FALSE(small.wake(false).has_value());
  small.rest({0, 1, true});
  CHECK(small.wake(false).has_value());
}

TEST_CASE("freed allocations when there are more than are remembered") {
  Freed freed;
  Allocation allocation;
  allocation.size = 10;
  for (std::size_t i = 0; i <= Freed::kHistory; ++i) {
    allocation.base = 100 * i;
    allocation.id = i;
    freed.remember(allocation, nullptr);
  }
  CHECK_FALSE(freed.find(5, nullptr).has_value());
  CHECK(freed.find(105, nullptr)->id == 1);
  // The newest at an address is told.
  allocation.base = 100;
  allocation.id = 77;
  freed.remember(allocation, nullptr);
  CHECK(freed.find(109, nullptr)->id == 77);
}

TEST_CASE("ledger when slots are entered, cleared and used again") {
  const int file = ::memfd_create("ledger", MFD_CLOEXEC);
  REQUIRE(::ftruncate(file, Ledger::kBytes) == 0);
  Ledger ledger(file);
  const std::uint32_t first = ledger.enter({11, 3, 1, 4096, 100});
  const std::uint32_t second = ledger.enter({12, 4, 0, 0, 200});
  CHECK(first != second);
  const auto read = Ledger::read(file, first);
  REQUIRE(read.has_value());
  CHECK(read->id == 11);
  CHECK(read->file == 3);
  CHECK(read->device == 1);
  CHECK(read->offset == 4096);
  CHECK(read->size == 100);
  ledger.clear(first);
  CHECK_FALSE(Ledger::read(file, first).has_value());
  CHECK(Ledger::read(file, second)->size == 200);
  CHECK_FALSE(Ledger::read(file, Ledger::kSlots).has_value());
  CHECK(ledger.enter({13, 5, 0, 0, 300}) == first);
  for (std::uint32_t i = 2; i < Ledger::kSlots; ++i) {
    REQUIRE(ledger.enter({100 + i, 5, 0, 0, 1}) != Ledger::kNone);
  }
  CHECK(ledger.enter({1, 5, 0, 0, 1}) == Ledger::kNone);
  ::close(file);
}

TEST_CASE("files in memory when they say what they are") {
  const FileTitle title{FileUse::kPool, 0xfedcba9876543210, 42, -1};
  const int file = create_memory_file(title, 5000);
  REQUIRE(file >= 0);
  CHECK(title_of(file) == title);
  CHECK(size_of_file(file) == 5000);
  ::close(file);
  const int other = ::memfd_create("eclosion-m-1-2", MFD_CLOEXEC);
  CHECK_FALSE(title_of(other).has_value());
  ::close(other);
  CHECK_FALSE(title_of(0).has_value());
  CHECK_FALSE(title_of(-1).has_value());
}
