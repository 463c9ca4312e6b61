// The shadow of accesses: what is looked at when a cell is not as it was left.
#include "accesses.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdio>
#include <mutex>
#include <string>

#include "access_records.h"
#include "findings.h"
#include "host_guard.h"
#include "memory.h"
#include "stack_overflow.h"

namespace eclosion::emulator {

AccessShadow access_shadow;

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kCellsOfPage = kPageBytes / kCellBytes;
// From here on the kernel clears memory faster than we do.
constexpr std::size_t kManyPages = 16;

// Who touched a whole page last, and whether cells of it say more.
struct PageEntry {
  std::atomic<std::uint32_t> writer;
  std::atomic<std::uint32_t> reader;
  std::atomic<std::uint32_t> has_cells;  // since the page was written whole
  std::atomic<std::uint32_t> had_cells;  // ever
};

PageEntry* pages = nullptr;
// For those who have not begun an operation, and so may not have seen the
// above.
std::atomic<bool> is_covered{false};

template <typename Element>
Element* reserve(std::size_t count) {
  void* made = mmap(nullptr, count * sizeof(Element), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return made == MAP_FAILED ? nullptr : static_cast<Element*>(made);
}

void cover_arena() {
  const Memory& memory = Memory::get();
  if (memory.arena_size() == 0) return;
  auto* cells = reserve<AccessCell>(memory.arena_size() / kCellBytes);
  pages = reserve<PageEntry>(memory.arena_size() / kPageBytes);
  if (!cells || !pages) {
    std::fprintf(
        stderr,
        "no addresses are left for the record of accesses (%zu GiB): "
        "races between streams are not looked for; raise `ulimit -v`\n",
        memory.arena_size() * 2 >> 30);
    return;
  }
  access_shadow = {memory.arena(), memory.arena_size(), cells};
  is_covered.store(true, std::memory_order_release);
}

PageEntry& page_of(std::uintptr_t address) {
  return pages[(address - access_shadow.base) / kPageBytes];
}

AccessCell* cells_at(std::uintptr_t address) {
  return access_shadow.cells + (address - access_shadow.base) / kCellBytes;
}

struct Touch {
  const Operation& by;
  std::uintptr_t address;
  std::uint32_t bytes;
  bool is_write;
  bool is_atomic;
};

void set_once(std::atomic<std::uint32_t>& flag) {
  if (flag.load(std::memory_order_relaxed) == 0)
    flag.store(1, std::memory_order_relaxed);
}

std::string described(const Allocation& allocation, std::uintptr_t address) {
  return "byte " + std::to_string(address - allocation.base) +
         " of an allocation of " + std::to_string(allocation.size) + " bytes";
}

void tell_race(const Touch& touch, std::uint32_t other, bool other_wrote) {
  AccessRecords& records = AccessRecords::get();
  const auto first = records.find(other);
  if (!first || !records.is_new_pair(other, touch.by.number())) return;
  const Title& second = touch.by.title();
  Finding finding{Kind::kStreamRace, "", "", {}, {}};
  const auto allocation =
      Memory::get().find(reinterpret_cast<const void*>(touch.address));
  finding.text = second.what + (touch.is_write ? " writes " : " reads ") +
                 (allocation ? described(*allocation, touch.address)
                             : std::string("memory")) +
                 " that " + first->title.what +
                 (other_wrote ? " wrote" : " read") +
                 ", and nothing orders the one before the other";
  finding.at = {second.site, ""};
  finding.also.push_back(
      {first->title.site, first->title.what + " was put into its stream here"});
  if (allocation)
    finding.also.push_back({allocation->site, "the memory was allocated here"});
  tell(finding);
}

// Those that are known to be in order with one operation, or have been told of
// with it: nearly always nobody has touched a cell, or one of these.
class Settled {
 public:
  void begin(std::uint32_t own) noexcept {
    if (own_ == own) return;
    own_ = own;
    others_ = {};
  }
  bool has(std::uint32_t word) const noexcept {
    const std::uint32_t other = Toucher::number_of(word);
    const Pair& pair = others_[other % kPlaces];
    return other == 0 || other == own_ || other == pair.first ||
           other == pair.second;
  }
  void add(std::uint32_t word) noexcept {
    const std::uint32_t other = Toucher::number_of(word);
    Pair& pair = others_[other % kPlaces];
    pair = {other, pair.first};
  }

 private:
  // Two to a place, so that two do not take it from each other all the time.
  struct Pair {
    std::uint32_t first;
    std::uint32_t second;
  };
  static constexpr std::size_t kPlaces = 16;
  std::uint32_t own_ = 0;
  std::array<Pair, kPlaces> others_{};
};
thread_local constinit Settled settled;

[[gnu::noinline]] void check_other(const Touch& touch, std::uint32_t word,
                                   bool is_writer) {
  need_stack();
  const std::uint32_t other = Toucher::number_of(word);
  if ((word & touch.bytes) == 0) return;
  if (touch.is_atomic && (word & Toucher::kAtomic) != 0) return;
  settled.add(word);
  if (!AccessRecords::get().is_before(other, touch.by))
    tell_race(touch, other, is_writer);
}

[[gnu::always_inline]] inline void check(const Touch& touch, std::uint32_t word,
                                         bool is_writer) {
  if (!settled.has(word)) check_other(touch, word, is_writer);
}

// `word` with what an operation does to bytes of the cell added to it.
std::uint32_t merged(std::uint32_t word, std::uint32_t own) {
  if (Toucher::number_of(word) != Toucher::number_of(own)) return own;
  // A plain access is the stronger one.
  const std::uint32_t atomic = own & word & Toucher::kAtomic;
  return ((own | word) & ~Toucher::kAtomic) | atomic;
}

void touch_cell(const Touch& touch, AccessCell& cell) {
  const std::uint32_t own =
      Toucher::of(touch.by.number(), touch.is_atomic, touch.bytes);
  const std::uint32_t writer = cell.writer.load(std::memory_order_relaxed);
  const std::uint32_t reader = cell.reader.load(std::memory_order_relaxed);
  check(touch, writer, true);
  if (!touch.is_write) {
    return cell.reader.store(merged(reader, own), std::memory_order_relaxed);
  }
  check(touch, reader, false);
  cell.writer.store(merged(writer, own), std::memory_order_relaxed);
}

// A page of which single cells are touched.
void touch_page(const Touch& touch, PageEntry& page) {
  const std::uint32_t writer = page.writer.load(std::memory_order_relaxed);
  const std::uint32_t reader = page.reader.load(std::memory_order_relaxed);
  check(touch, writer, true);
  if (touch.is_write) check(touch, reader, false);
  set_once(page.has_cells);
  set_once(page.had_cells);
}

void touch_whole_page(Touch touch) {
  PageEntry& page = page_of(touch.address);
  const std::uint32_t writer = page.writer.load(std::memory_order_relaxed);
  const std::uint32_t reader = page.reader.load(std::memory_order_relaxed);
  check(touch, writer, true);
  if (touch.is_write) check(touch, reader, false);
  if (page.has_cells.load(std::memory_order_relaxed) != 0) {
    std::uint32_t last_writer = 0;
    std::uint32_t last_reader = 0;
    AccessCell* cell = cells_at(touch.address);
    for (AccessCell* end = cell + kCellsOfPage; cell != end;
         ++cell, touch.address += kCellBytes) {
      const std::uint32_t wrote = cell->writer.load(std::memory_order_relaxed);
      const std::uint32_t read = cell->reader.load(std::memory_order_relaxed);
      if (wrote != last_writer) check(touch, last_writer = wrote, true);
      if (touch.is_write && read != last_reader)
        check(touch, last_reader = read, false);
    }
  }
  const std::uint32_t own =
      Toucher::of(touch.by.number(), false, Toucher::kAllBytes);
  if (!touch.is_write) {
    return page.reader.store(own, std::memory_order_relaxed);
  }
  // All that the cells say happens before this, or has been told.
  page.writer.store(own, std::memory_order_relaxed);
  page.reader.store(0, std::memory_order_relaxed);
  page.has_cells.store(0, std::memory_order_relaxed);
}

void touch_range(const Operation& by, const AccessRange& range) {
  auto at = reinterpret_cast<std::uintptr_t>(range.base);
  if (at - access_shadow.base >= access_shadow.size) return;
  const std::uintptr_t end =
      std::min(at + range.size, access_shadow.base + access_shadow.size);
  while (at < end) {
    const std::uintptr_t left_in_page = kPageBytes - at % kPageBytes;
    if (left_in_page == kPageBytes && end - at >= kPageBytes) {
      touch_whole_page({by, at, Toucher::kAllBytes, range.is_written, false});
      at += kPageBytes;
    } else {
      const std::uintptr_t size = std::min(left_in_page, end - at);
      note_access(by, at, static_cast<unsigned>(size), range.is_written, false);
      at += size;
    }
  }
}

// Looks before it writes: most of the table was never touched and takes no
// memory.
void forget_page(PageEntry& page) {
  for (auto* word :
       {&page.writer, &page.reader, &page.has_cells, &page.had_cells})
    if (word->load(std::memory_order_relaxed) != 0)
      word->store(0, std::memory_order_relaxed);
}

void clear_cells(std::uintptr_t from, std::uintptr_t to) {
  if (from == to) return;
  const std::uintptr_t first = (from + kPageBytes - 1) / kPageBytes;
  const std::uintptr_t past = to / kPageBytes;
  if (past > first + kManyPages) {
    AccessCell* whole = cells_at(first * kPageBytes);
    madvise(whole, (past - first) * kCellsOfPage * sizeof *whole,
            MADV_DONTNEED);
    clear_cells(from, first * kPageBytes);
    return clear_cells(past * kPageBytes, to);
  }
  AccessCell* const end = cells_at(to - 1) + 1;
  for (AccessCell* cell = cells_at(from); cell != end; ++cell) {
    cell->writer.store(0, std::memory_order_relaxed);
    cell->reader.store(0, std::memory_order_relaxed);
  }
}

}  // namespace

void note_new_access(const Operation& by, std::uintptr_t address,
                     std::size_t size, bool is_write, bool is_atomic) {
  const std::uintptr_t end = address + size;
  const std::uintptr_t first = address & ~(kCellBytes - 1);
  settled.begin(by.number());
  for (std::uintptr_t at = first; at < end; at += kCellBytes) {
    const Touch touch{by, at, bytes_of_cell(at, address, end), is_write,
                      is_atomic};
    if (at == first || at % kPageBytes == 0) touch_page(touch, page_of(at));
    touch_cell(touch, *cells_at(at));
  }
}

// Nearly always all who touched the cell and its page are known to be in order.
void note_new_cell(const Operation& by, std::uintptr_t address,
                   std::uint32_t own, bool is_write) {
  settled.begin(by.number());
  const Settled& known = settled;
  const PageEntry& page = page_of(address);
  AccessCell& cell = *cells_at(address);
  const std::uint32_t writer = cell.writer.load(std::memory_order_relaxed);
  const std::uint32_t reader = cell.reader.load(std::memory_order_relaxed);
  // A page that has cells had some.
  bool is_known = page.has_cells.load(std::memory_order_relaxed) != 0 &&
                  known.has(page.writer.load(std::memory_order_relaxed)) &&
                  known.has(writer);
  if (is_write) {
    is_known = is_known && known.has(reader) &&
               known.has(page.reader.load(std::memory_order_relaxed));
  }
  if (!is_known) {
    const auto bytes = std::popcount(own & Toucher::kAllBytes);
    return note_new_access(by, address, static_cast<std::size_t>(bytes),
                           is_write, (own & Toucher::kAtomic) != 0);
  }
  if (is_write) {
    cell.writer.store(merged(writer, own), std::memory_order_relaxed);
  } else {
    cell.reader.store(merged(reader, own), std::memory_order_relaxed);
  }
}

void begin_accesses(const Operation& by) {
  static std::once_flag covered;
  std::call_once(covered, cover_arena);
  AccessRecords::get().add(by);
  settled.begin(by.number());
  for (const AccessRange& range : by.ranges()) touch_range(by, range);
}

void forget_accesses(const void* base, std::size_t size) {
  forget_guards(base, size);
  const auto start = reinterpret_cast<std::uintptr_t>(base);
  if (!is_covered.load(std::memory_order_acquire)) return;
  if (start - access_shadow.base >= access_shadow.size) return;
  const std::uintptr_t end = start + size;
  std::uintptr_t touched = start;  // up to `at`, cells are to be cleared
  for (std::uintptr_t at = start; at < end;) {
    const std::uintptr_t past =
        std::min(end, (at / kPageBytes + 1) * kPageBytes);
    PageEntry& page = page_of(at);
    if (page.had_cells.load(std::memory_order_relaxed) == 0) {
      clear_cells(touched, at);
      touched = past;
    }
    if (past - at == kPageBytes) forget_page(page);
    at = past;
  }
  clear_cells(touched, end);
}

}  // namespace eclosion::emulator
