// What a copy or a fill touches, whether it may, and how it is done.
#include "copies.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "findings.h"
#include "memory.h"
#include "program.h"
#include "shadow.h"

namespace eclosion::emulator {

namespace {

bool in_arena(const void* address) {
  const Memory& memory = Memory::get();
  return reinterpret_cast<std::uintptr_t>(address) - memory.arena() <
         memory.arena_size();
}

std::size_t rest_of(const Allocation& allocation, const void* address) {
  return allocation.base + allocation.size -
         reinterpret_cast<std::uintptr_t>(address);
}

std::size_t offset_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - Memory::get().arena();
}

void tell_overrun(const void* base, std::size_t span, std::size_t rest,
                  const char* what, const void* site) {
  Finding finding;
  finding.at = {site, std::string(what) + " asked for here"};
  const std::string bytes = std::to_string(span) + " bytes";
  const void* freed_at = nullptr;
  const auto freed = Memory::get().find_freed(base, &freed_at);
  if (rest == 0 && freed) {
    finding.kind = Kind::kUseAfterFree;
    finding.text = std::string(what) + " of " + bytes +
                   " in an allocation of " + std::to_string(freed->size) +
                   " bytes that was freed";
    finding.also.push_back({freed->site, "allocated here"});
    finding.also.push_back({freed_at, "freed here"});
  } else {
    finding.kind = Kind::kOutOfBounds;
    finding.text = std::string(what) + " of " + bytes + " where " +
                   std::to_string(rest) + " bytes are left of the allocation";
    if (const auto found = Memory::get().find(base)) {
      finding.also.push_back({found->site, "allocated here"});
    }
  }
  tell(finding);
}

Status check_span(const Placement& at, const Box& box, const char* what,
                  const void* site) {
  if (at.base == nullptr) return Status::kInvalidValue;
  if (box.height > 1 && at.pitch < box.width) return Status::kInvalidValue;
  if (box.depth > 1 && at.slice / box.height < at.pitch) {
    return Status::kInvalidValue;
  }
  const std::size_t span = at.span(box);
  const std::size_t rest = bytes_at(at.base, span);
  if (span <= rest) return Status::kSuccess;
  tell_overrun(at.base, span, rest, what, site);
  return Status::kInvalidValue;
}

template <typename Row>
void for_each_row(const Box& box, Row row) {
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) row(y, z);
  }
}

// Where the emulator itself reaches memory that the host's view may be shut to.
Placement seen(const Placement& at) {
  std::byte* alias = Memory::get().alias(at.base);
  return {alias != nullptr ? alias : at.base, at.pitch, at.slice};
}

unsigned char* row_of(const Placement& at, std::size_t y, std::size_t z) {
  return static_cast<unsigned char*>(at.base) + z * at.slice + y * at.pitch;
}

void fill_row(unsigned char* to, std::size_t size, std::uint32_t value,
              unsigned element) {
  if (element == 1) {
    std::memset(to, static_cast<int>(value & 0xff), size);
    return;
  }
  for (std::size_t i = 0; i < size; i += element) {
    std::memcpy(to + i, &value, element);  // little-endian: the low bytes
  }
}

const char* copy_name(const void* to, const void* from) {
  const auto is_host = [](Side side) {
    return side == Side::kPageable || side == Side::kPinned;
  };
  const bool from_host = is_host(side_of(from));
  if (is_host(side_of(to))) {
    return from_host ? "copy on the host" : "copy to the host";
  }
  return from_host ? "copy from the host" : "copy on the device";
}

// Whether memory is still, or already, what it was when the work was asked for:
// it may be freed meanwhile, be a pool's whose stream is not there yet, or be
// mapped for reading only.
bool is_usable(const Placement& at, const Box& box, bool is_written) {
  if (!in_arena(at.base)) return true;
  const Memory& memory = Memory::get();
  bool usable = true;
  for_each_row(box, [&](std::size_t y, std::size_t z) {
    const unsigned char* const row = row_of(at, y, z);
    usable =
        usable &&
        (shadow_allows(memory.shadow(), offset_of(row), box.width) ||
         (!is_written && memory.readable_mapped(row, box.width) == box.width));
  });
  return usable;
}

Status refuse_read_only(const Operation& operation, const Placement& at,
                        std::size_t span) {
  Finding finding;
  finding.kind = Kind::kOutOfBounds;
  finding.text = operation.title().what + " of " + std::to_string(span) +
                 " bytes, in memory that is mapped for reading only";
  finding.at = {operation.title().site, "asked for here"};
  if (const auto found = Memory::get().find(at.base)) {
    finding.also.push_back({found->site, "allocated here"});
  }
  tell(finding);
  return Status::kIllegalAddress;
}

Status refuse(const Operation& operation, const Placement& at, const Box& box) {
  // What is readable all through is refused to writers only.
  const std::size_t span = at.span(box);
  if (Memory::get().readable_mapped(at.base, span) == span) {
    return refuse_read_only(operation, at, span);
  }
  Finding finding;
  finding.kind = Kind::kUseAfterFree;
  finding.text = operation.title().what +
                 " ran when its memory was freed or not allocated yet";
  finding.at = {operation.title().site, "asked for here"};
  const void* freed_at = nullptr;
  if (const auto freed = Memory::get().find_freed(at.base, &freed_at)) {
    finding.also.push_back({freed->site, "allocated here"});
    finding.also.push_back({freed_at, "freed here"});
  }
  tell(finding);
  return Status::kIllegalAddress;
}

Work::Range range(const Placement& at, const Box& box, bool is_written) {
  return {at.base, at.span(box), is_written};
}

}  // namespace

Side side_of(const void* address) {
  if (const auto found = Memory::get().find(address)) {
    switch (found->kind) {
      case MemoryKind::kPinned:
      case MemoryKind::kRegistered:
        return Side::kPinned;
      case MemoryKind::kManaged:
        return Side::kManaged;
      default:
        return Side::kDevice;
    }
  }
  if (in_arena(address)) return Side::kFreed;
  return Program::get().reach(address).is_variable ? Side::kVariable
                                                   : Side::kPageable;
}

std::size_t bytes_at(const void* address, std::size_t most) {
  const Memory& memory = Memory::get();
  const auto found = memory.find(address);
  // What is pageable may begin in registered memory and end after it.
  if (found && found->kind == MemoryKind::kRegistered) return most;
  if (found && found->kind == MemoryKind::kVirtual) {
    return memory.readable_mapped(address, most);
  }
  if (found) return std::min(most, rest_of(*found, address));
  if (in_arena(address)) return 0;
  const Program::Reach reach = Program::get().reach(address);
  return reach.is_variable ? std::min(most, reach.bytes) : most;
}

std::size_t Placement::span(const Box& box) const noexcept {
  if (box.is_empty()) return 0;
  return (box.depth - 1) * slice + (box.height - 1) * pitch + box.width;
}

Status plan_copy(const Placement& to, const Placement& from, const Box& box,
                 const void* site, Work* work) {
  work->kind = NodeKind::kCopy;
  if (!box.is_empty()) {
    work->title = {copy_name(to.base, from.base), site};
    const char* what = work->title.what.c_str();
    Status status = check_span(to, box, what, site);
    if (status == Status::kSuccess) status = check_span(from, box, what, site);
    if (status != Status::kSuccess) return status;
    work->ranges = {range(to, box, true), range(from, box, false)};
  } else {
    work->title = {"copy of nothing", site};
  }
  work->body = [to, from, box](Operation& operation) {
    if (box.is_empty()) return Status::kSuccess;
    if (!is_usable(to, box, true)) return refuse(operation, to, box);
    if (!is_usable(from, box, false)) return refuse(operation, from, box);
    const Placement target = seen(to);
    const Placement source = seen(from);
    for_each_row(box, [&](std::size_t y, std::size_t z) {
      std::memmove(row_of(target, y, z), row_of(source, y, z), box.width);
    });
    return Status::kSuccess;
  };
  return Status::kSuccess;
}

Status plan_fill(const Placement& to, const Box& box, std::uint32_t value,
                 unsigned element, const void* site, Work* work) {
  work->kind = NodeKind::kFill;
  work->title = {"fill", site};
  if (!box.is_empty()) {
    const Status status = check_span(to, box, "fill", site);
    if (status != Status::kSuccess) return status;
    work->ranges = {range(to, box, true)};
  }
  work->body = [to, box, value, element](Operation& operation) {
    if (box.is_empty()) return Status::kSuccess;
    if (!is_usable(to, box, true)) return refuse(operation, to, box);
    const Placement target = seen(to);
    for_each_row(box, [&](std::size_t y, std::size_t z) {
      fill_row(row_of(target, y, z), box.width, value, element);
    });
    return Status::kSuccess;
  };
  return Status::kSuccess;
}

}  // namespace eclosion::emulator
