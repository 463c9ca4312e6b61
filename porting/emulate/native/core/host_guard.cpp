// Closed pages: which operations hold them, and when they open.
#include "host_guard.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "findings.h"
#include "host_faults.h"
#include "memory.h"
#include "scheduler.h"

namespace eclosion::emulator {

namespace {

constexpr std::uintptr_t kPageBytes = 4096;
// A copy that takes longer waits for the host, most likely.
constexpr std::chrono::seconds kMostPatience{10};

struct Guard {
  OperationRef operation;
  std::uintptr_t begin;  // of the bytes
  std::uintptr_t end;
  std::uintptr_t first_page;
  std::uintptr_t past_page;
  bool is_written;

  bool overlaps(std::uintptr_t from, std::uintptr_t to) const noexcept {
    return first_page < to && from < past_page;
  }
  bool forbids(const HostFault& fault) const noexcept {
    return begin <= fault.address && fault.address < end &&
           (is_written || fault.is_write);
  }
};

struct Guards {
  std::mutex lock;
  std::vector<Guard> all;
  std::atomic<std::size_t> count{0};  // of `all`, for those without the lock
};

// It lives as long as the process: threads run while it ends.
Guards& guards() {
  static auto* all = new Guards;
  return *all;
}

void set_access(std::uintptr_t from, std::uintptr_t to, int protection) {
  mprotect(reinterpret_cast<void*>(from), to - from, protection);
}

// Make open pages as the guards want them.
void close(const Guards& left, std::uintptr_t from, std::uintptr_t to) {
  for (const bool is_written : {false, true})
    for (const Guard& guard : left.all)
      if (guard.is_written == is_written && guard.overlaps(from, to))
        set_access(std::max(from, guard.first_page),
                   std::min(to, guard.past_page),
                   is_written ? PROT_NONE : PROT_READ);
}

template <typename Condition>
void drop(Guards& from, const Condition& is_over) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> opened;
  std::erase_if(from.all, [&](const Guard& guard) {
    if (!is_over(guard)) return false;
    opened.emplace_back(guard.first_page, guard.past_page);
    return true;
  });
  for (const auto& [first, past] : opened) {
    set_access(first, past, PROT_READ | PROT_WRITE);
    close(from, first, past);
  }
  from.count = from.all.size();
}

// The pages to close for bytes of an allocation; see HG-2. Pages beyond its
// last byte are its own.
std::pair<std::uintptr_t, std::uintptr_t> pages_of(const Allocation& allocation,
                                                   std::uintptr_t begin,
                                                   std::uintptr_t end) {
  const auto down = [](std::uintptr_t at) { return at & ~(kPageBytes - 1); };
  const auto up = [&](std::uintptr_t at) { return down(at + kPageBytes - 1); };
  const std::uintptr_t first =
      begin == allocation.base ? down(begin) : up(begin);
  const std::uintptr_t past = end == allocation.end() ? up(end) : down(end);
  if (first < past) return {first, past};
  return {down(begin), up(end)};
}

std::string described(const HostFault& fault, const Guard& guard,
                      const std::optional<Allocation>& allocation) {
  const std::string where =
      allocation ? "byte " + std::to_string(fault.address - allocation->base) +
                       " of pinned memory of " +
                       std::to_string(allocation->size) + " bytes"
                 : std::string("pinned memory");
  return std::string("the host ") + (fault.is_write ? "writes " : "reads ") +
         where + " that " + guard.operation->title().what +
         (guard.is_written ? " writes" : " reads") +
         ", and has not waited for it";
}

void tell_race(const HostFault& fault, const Guard& guard) {
  const auto allocation =
      Memory::get().find(reinterpret_cast<const void*>(fault.address));
  const Title& title = guard.operation->title();
  Finding finding{
      Kind::kHostRace, described(fault, guard, allocation), "", {}, {}};
  const HostPlace place = own_place(fault.frames);
  finding.at = {place.address, ""};
  finding.also.push_back(
      {title.site, title.what + " was put into its stream here"});
  if (allocation)
    finding.also.push_back({allocation->site, "the memory was allocated here"});
  if (!place.within.empty())
    finding.also.push_back({place.address, "it is done in " + place.within});
  tell(finding);
}

}  // namespace

void guard_host_memory(const OperationRef& operation) {
  for (const AccessRange& range : operation->ranges()) {
    const auto begin = reinterpret_cast<std::uintptr_t>(range.base);
    const Memory& memory = Memory::get();
    if (begin - memory.arena() >= memory.arena_size() || range.size == 0)
      continue;
    const auto found = memory.find(range.base);
    if (!found || found->kind != MemoryKind::kPinned) continue;
    watch_host_faults();
    const std::uintptr_t end = std::min(begin + range.size, found->end());
    const auto [first, past] = pages_of(*found, begin, end);
    Guards& all = guards();
    const std::scoped_lock guard(all.lock);
    all.all.push_back({operation, begin, end, first, past, range.is_written});
    all.count = all.all.size();
    close(all, first, past);
  }
}

void open_seen_memory() {
  Guards& all = guards();
  if (all.count == 0) return;
  const std::scoped_lock guard(all.lock);
  drop(all, [](const Guard& one) {
    return is_seen_by_host(one.operation->order());
  });
}

void forget_guards(const void* base, std::size_t size) {
  Guards& all = guards();
  if (all.count == 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  const std::scoped_lock guard(all.lock);
  drop(all, [&](const Guard& one) {
    return one.begin < begin + size && begin < one.end;
  });
}

bool settle(const HostFault& fault) {
  Guards& all = guards();
  const std::uintptr_t page = fault.address & ~(kPageBytes - 1);
  const auto holds = [&](const Guard& one) {
    return one.overlaps(page, page + kPageBytes);
  };
  std::vector<Guard> held;
  {
    const std::scoped_lock guard(all.lock);
    std::ranges::copy_if(all.all, std::back_inserter(held), holds);
  }
  for (const Guard& one : held) {
    if (fault.is_of_kernel || !one.forbids(fault) ||
        Scheduler::get().waits_for_host(one.operation))
      continue;
    tell_race(fault, one);
    Scheduler::get().wait_for(one.operation, kMostPatience);
  }
  const std::scoped_lock guard(all.lock);
  drop(all, [&](const Guard& one) {
    return holds(one) && std::ranges::any_of(held, [&](const Guard& was) {
             return was.operation == one.operation;
           });
  });
  return !held.empty();
}

}  // namespace eclosion::emulator
