// The check that every load and store of device code makes.
//
// Nearly all are settled by the fast path. Here come those for which it is not
// enough: the shadow of the arena, then the stacks and the shared memory;
// everything else is looked up.
#include "access_check.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "accesses.h"
#include "block.h"
#include "findings.h"
#include "memory.h"
#include "program.h"
#include "stack_overflow.h"
#include "wave_findings.h"

namespace eclosion::emulator {
namespace {

std::string hex(std::uintptr_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

std::string what(const Access& access) {
  return std::string(access.is_atomic  ? "atomic access"
                     : access.is_write ? "write"
                                       : "read") +
         " of " + std::to_string(access.size) + " bytes at " +
         hex(access.address);
}

Finding finding_of(Kind kind, const Access& access) {
  Finding finding{kind, what(access), "", {}, {}};
  finding.kernel = current.block->grid().request().kernel->name;
  finding.at = {access.site, describe(*current.lane)};
  return finding;
}

[[noreturn]] void refuse(const Finding& finding) {
  tell(finding);
  current.block->stop(Status::kIllegalAddress);
}

// What lies before an address, within the reach of a likely mistake.
std::optional<Allocation> below(std::uintptr_t address) {
  for (std::uintptr_t back = 0; back < (std::uintptr_t{1} << 20);
       back += kGranule) {
    const auto found =
        Memory::get().find(reinterpret_cast<const void*>(address - back));
    if (found) return found;
  }
  return std::nullopt;
}

bool is_readable_mapped(const Access& access) {
  const auto* at = reinterpret_cast<const void*>(access.address);
  return Memory::get().readable_mapped(at, access.size) == access.size;
}

[[noreturn]] void refuse_arena(const Access& access) {
  const void* freed_at = nullptr;
  const auto* at = reinterpret_cast<const void*>(access.address);
  const auto inside = Memory::get().find(at);
  if (!inside) {
    if (const auto freed = Memory::get().find_freed(at, &freed_at)) {
      Finding finding = finding_of(Kind::kUseAfterFree, access);
      finding.text += ", in an allocation of " + std::to_string(freed->size) +
                      " bytes that has been freed";
      finding.also.push_back({freed->site, "it was allocated here"});
      finding.also.push_back({freed_at, "it was freed here"});
      refuse(finding);
    }
  }
  Finding finding = finding_of(Kind::kOutOfBounds, access);
  const auto near = inside ? inside : below(access.address);
  if (is_readable_mapped(access)) {  // all the same, so it is a write
    finding.text += ", in memory that is mapped for reading only";
    finding.also.push_back({near->site, "it was allocated here"});
  } else if (inside && inside->kind == MemoryKind::kVirtual &&
             inside->flags == 0) {
    finding.text += ", in mapped memory to which no access was given";
    finding.also.push_back({near->site, "it was allocated here"});
  } else if (inside && !inside->is_ready) {
    finding.text +=
        ", in memory that a stream allocates, which this work does not wait "
        "for";
    finding.also.push_back({inside->site, "it was allocated here"});
  } else if (near) {
    const std::uintptr_t end = near->base + near->size;
    finding.text += access.address < end
                        ? ", across the end of an allocation of "
                        : ", " + std::to_string(access.address - end) +
                              " bytes after an allocation of ";
    finding.text += std::to_string(near->size) + " bytes";
    finding.also.push_back({near->site, "it was allocated here"});
  } else {
    finding.text += ", where nothing is allocated";
  }
  refuse(finding);
}

void check_arena(const Access& access, std::uintptr_t offset) {
  const std::uint16_t* const shadow = Memory::get().shadow();
  const std::size_t usable = shadow[offset / kGranule];
  const std::size_t end = offset % kGranule + access.size;
  if (end <= usable) return;
  const std::size_t next = end - kGranule;
  if (usable == kGranule && next <= shadow[offset / kGranule + 1]) return;
  if (!access.is_write && is_readable_mapped(access)) return;
  refuse_arena(access);
}

void tell_race(const Access& access, const SharedConflict& conflict) {
  Finding finding = finding_of(Kind::kSharedRace, access);
  const std::string other =
      conflict.thread == SharedConflict::kMany
          ? "several threads"
          : "thread " + std::to_string(conflict.thread) + " of the block";
  finding.text += " of shared memory that " + other +
                  (conflict.was_write ? " wrote" : " read") +
                  " with no barrier in between";
  tell(finding);
}

// A write of the value that is there already is told by nobody's tool: many
// threads may set one flag. What was there is compared once it has happened.
struct Suspect {
  bool is_open = false;
  Access access{};
  SharedConflict conflict{};
  unsigned char before[16] = {};
  GpuThread* lane = nullptr;
};
thread_local constinit Suspect suspect;

void open_suspect(const Access& access, const SharedConflict& conflict) {
  suspect = {true, access, conflict, {}, current.lane};
  std::memcpy(suspect.before, reinterpret_cast<const void*>(access.address),
              access.size);
  current.checks.shared = Checks::kNowhere;  // until it is settled
}

void settle_suspect() {
  if (!suspect.is_open) return;
  suspect.is_open = false;
  current.checks.shared = current.shared;
  if (std::memcmp(reinterpret_cast<const void*>(suspect.access.address),
                  suspect.before, suspect.access.size) == 0) {
    return;
  }
  GpuThread* now = std::exchange(current.lane, suspect.lane);
  tell_race(suspect.access, suspect.conflict);
  current.lane = now;
}

void check_shared(const Access& access) {
  settle_suspect();
  SharedSegment& shared = current.block->shared();
  const std::size_t offset = access.address - shared.base();
  if (!shared.is_within(offset, access.size)) {
    Finding finding = finding_of(Kind::kOutOfBounds, access);
    std::size_t start = 0;
    std::size_t size = 0;
    shared.nearest(offset, &start, &size);
    finding.text +=
        " of shared memory: offset " + std::to_string(offset - start) +
        " from the start of a variable of " + std::to_string(size) + " bytes";
    refuse(finding);
  }
  const auto conflict =
      shared.shadow().note(offset, access.size, current.checks.author,
                           access.is_write, access.is_atomic);
  if (!conflict) return;
  if (access.is_write && !access.is_atomic && conflict->was_write &&
      access.size <= sizeof suspect.before) {
    return open_suspect(access, *conflict);
  }
  tell_race(access, *conflict);
}

void check_elsewhere(const Access& access) {
  const auto* at = reinterpret_cast<const void*>(access.address);
  const Program::Reach reach = Program::get().reach(at);
  if (reach.is_variable) {
    if (access.size <= reach.bytes) return;
    Finding finding = finding_of(Kind::kOutOfBounds, access);
    finding.text += ", across the end of the variable " + reach.name;
    refuse(finding);
  }
  if (reach.is_sidecar && !access.is_write) return;
  if (current.block->grid().has_parameter(access.address)) return;
  if (const auto found = Memory::get().find(at)) {  // registered by the host
    if (access.address + access.size <= found->base + found->size) return;
  }
  Finding finding = finding_of(
      reach.is_sidecar ? Kind::kOutOfBounds : Kind::kHostMemory, access);
  finding.text +=
      access.address < 4096 ? ", a null pointer with an offset"
      : reach.is_sidecar
          ? ", after a variable of the program"
          : ", which is no memory of the device: the host's own, or "
            "nobody's";
  refuse(finding);
}

}  // namespace

void check_access(const Access& access) {
  need_stack();
  const Memory& memory = Memory::get();
  const std::uintptr_t offset = access.address - memory.arena();
  if (offset < memory.arena_size()) {
    check_arena(access, offset);
    note_access(current.block->grid().operation(), access.address, access.size,
                access.is_write, access.is_atomic);
    return;
  }
  if (access.address - current.stacks < current.stacks_size) return;
  if (access.address - current.shared < SharedSegment::kBytes) {
    check_shared(access);
    return;
  }
  if (current.block != nullptr) check_elsewhere(access);
}

Checks checks_of(SharedSegment& shared, const Operation& operation) {
  Checks checks;
  checks.shared = shared.base();
  checks.shared_cells = shared.shadow().cells();
  checks.shared_bytes = shared.shadow().bytes();
  if (access_shadow.cells == nullptr) return checks;
  checks.arena = access_shadow.base;
  checks.arena_size = access_shadow.size;
  checks.usable = Memory::get().shadow();
  checks.cells = access_shadow.cells;
  checks.operation = &operation;
  checks.toucher = Toucher::of(operation.number(), false, 0);
  return checks;
}

void settle_accesses() { settle_suspect(); }

}  // namespace eclosion::emulator
