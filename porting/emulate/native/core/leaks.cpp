// Leaks are told by the place that made them, all of one place together.
#include "leaks.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "config.h"
#include "findings.h"
#include "memory.h"
#include "scheduler.h"

namespace eclosion::emulator {
namespace {

struct Origin {
  int device;
  const void* site;
};

struct Kept {
  std::mutex lock;
  std::map<std::pair<Made, const void*>, Origin> origins;
};

Kept& kept() {
  static Kept* const all = new Kept;  // other libraries' destructors give back
  return *all;
}

struct Sum {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

std::string counted(std::uint64_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string has(std::uint64_t count) { return count == 1 ? " has" : " have"; }

void tell_leak(const std::string& text, const void* site) {
  tell({Kind::kLeak, text, "", {site, ""}, {}});
}

void tell_memory() {
  std::map<const void*, Sum> sums;
  for (const Allocation& each : Memory::get().live()) {
    const bool is_devices = each.kind == MemoryKind::kDevice ||
                            each.kind == MemoryKind::kHeap ||
                            each.kind == MemoryKind::kManaged;
    if (!is_devices || each.site == nullptr) continue;
    ++sums[each.site].count;
    sums[each.site].bytes += each.size;
  }
  for (const auto& [site, sum] : sums) {
    tell_leak(counted(sum.count, "allocation") + " of " +
                  counted(sum.bytes, "byte") + " in all" + has(sum.count) +
                  " not been freed",
              site);
  }
}

void tell_objects() {
  std::map<std::pair<Made, const void*>, std::uint64_t> counts;
  const std::lock_guard held(kept().lock);
  for (const auto& [object, origin] : kept().origins) {
    ++counts[{object.first, origin.site}];
  }
  for (const auto& [made, count] : counts) {
    const char* const one = made.first == Made::kStream ? "stream" : "event";
    tell_leak(counted(count, one) + has(count) + " not been destroyed",
              made.second);
  }
}

// After the destructors of the program, which may give back much.
__attribute__((destructor)) void tell_what_is_left() {
  if (!Config::get().leaks || is_forked_child()) return;
  tell_memory();
  tell_objects();
}

}  // namespace

void note_made(Made kind, const void* handle, int device, const void* site) {
  if (!Config::get().leaks) return;
  const std::lock_guard held(kept().lock);
  kept().origins[{kind, handle}] = {device, site};
}

void note_gone(Made kind, const void* handle) {
  if (!Config::get().leaks) return;
  const std::lock_guard held(kept().lock);
  kept().origins.erase({kind, handle});
}

void note_reset(int device) {
  if (!Config::get().leaks) return;
  const std::lock_guard held(kept().lock);
  std::erase_if(kept().origins,
                [&](const auto& each) { return each.second.device == device; });
}

}  // namespace eclosion::emulator
