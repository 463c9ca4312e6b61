// Physical memory and reserved ranges of addresses, mapped onto each other.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "memory.h"
#include "memory_file.h"
#include "memory_state.h"
#include "physical_memory.h"
#include "shadow.h"

namespace eclosion::emulator {

namespace {

constexpr unsigned kNoAccess = 0;
constexpr unsigned kRead = 1;
constexpr unsigned kReadWrite = 3;

using Physical = std::shared_ptr<PhysicalMemory>;

bool is_whole(std::size_t size) {
  return size != 0 && size % VirtualMemory::kGranularity == 0;
}

struct Reservation {
  std::size_t size = 0;
  std::size_t guard = 0;  // bytes behind it that are nobody's
};

struct Mapping {
  std::size_t size = 0;
  Physical memory;
  std::uint64_t handle = 0;
  std::map<int, unsigned> access;  // by device

  unsigned strongest() const {
    unsigned flags = kNoAccess;
    for (const auto& [device, allowed] : access) flags |= allowed;
    return flags;
  }
};

struct Handle {
  Physical memory;
  unsigned references = 0;
};

}  // namespace

struct VirtualMemory::State {
  using Mappings = std::map<std::uintptr_t, Mapping>;

  std::mutex mutex;  // taken before the MemoryState's
  MemoryState& memory = memory_state();
  std::map<std::uintptr_t, Reservation> reserved;
  Mappings mapped;
  std::map<std::uint64_t, Handle> handles;
  std::uint64_t next_handle = 1;
  // Memory made here, by the id in its file's name.
  std::map<std::uint64_t, std::weak_ptr<PhysicalMemory>> made;

  bool is_reserved(std::uintptr_t at, std::size_t size) const;
  Mapping* mapping_at(std::uintptr_t at);
  std::vector<Mappings::iterator> whole_mappings(std::uintptr_t at,
                                                 std::size_t size);
  std::uint64_t add_handle(const Physical& physical);
  bool extend(std::uintptr_t wanted, std::size_t size);
  void let(std::uintptr_t at, const Mapping& mapping);
};

bool VirtualMemory::State::is_reserved(std::uintptr_t at,
                                       std::size_t size) const {
  const auto after = reserved.upper_bound(at);
  if (after == reserved.begin()) return false;
  const auto& [base, range] = *std::prev(after);
  return at - base < range.size && size <= range.size - (at - base);
}

Mapping* VirtualMemory::State::mapping_at(std::uintptr_t at) {
  const auto after = mapped.upper_bound(at);
  if (after == mapped.begin()) return nullptr;
  auto& [base, mapping] = *std::prev(after);
  return at - base < mapping.size ? &mapping : nullptr;
}

// The mappings that a range consists of; none: it does not consist of mappings.
std::vector<VirtualMemory::State::Mappings::iterator>
VirtualMemory::State::whole_mappings(std::uintptr_t at, std::size_t size) {
  std::vector<Mappings::iterator> found;
  while (size > 0) {
    const auto next = mapped.find(at);
    if (next == mapped.end() || next->second.size > size) return {};
    found.push_back(next);
    at += next->second.size;
    size -= next->second.size;
  }
  return found;
}

std::uint64_t VirtualMemory::State::add_handle(const Physical& physical) {
  const std::uint64_t handle = next_handle++;
  handles[handle] = {physical, 1};
  return handle;
}

// Reserve right behind a reserved range, whose guard then becomes addresses.
bool VirtualMemory::State::extend(std::uintptr_t wanted, std::size_t size) {
  for (auto& [base, range] : reserved) {
    if (base + range.size != wanted || range.guard == 0) continue;
    if (!memory.pages.take_at(wanted + range.guard, size)) return false;
    reserved[wanted] = {size, std::exchange(range.guard, 0)};
    return true;
  }
  return false;
}

// Let the program use a mapping as far as it was given access.
void VirtualMemory::State::let(std::uintptr_t at, const Mapping& mapping) {
  const unsigned flags = mapping.strongest();
  const int protection = flags == kReadWrite ? PROT_READ | PROT_WRITE
                         : flags == kRead    ? PROT_READ
                                             : PROT_NONE;
  const std::lock_guard lock(memory.mutex);
  memory.arena.protect(at, mapping.size, protection);
  if (flags == kReadWrite) {
    memory.arena.allow(at, mapping.size);
  } else {
    memory.arena.forbid(at, mapping.size);
  }
  memory.live.at(at)->allocation.flags = flags;
}

VirtualMemory& VirtualMemory::get() {
  static VirtualMemory* const memory = new VirtualMemory;
  return *memory;
}

VirtualMemory::VirtualMemory() : state_(new State) {}

Status VirtualMemory::reserve(std::size_t size, std::size_t alignment,
                              std::uintptr_t wanted, std::uintptr_t* base) {
  if (!is_whole(size) || (alignment != 0 && !std::has_single_bit(alignment))) {
    return Status::kInvalidValue;
  }
  alignment = std::max(alignment, kGranularity);
  const std::lock_guard lock(state_->mutex);
  MemoryState& memory = state_->memory;
  const std::lock_guard memory_lock(memory.mutex);
  if (size > memory.arena.size()) return Status::kOutOfMemory;
  const bool is_wanted = wanted != 0 && wanted % alignment == 0;
  if (is_wanted && state_->extend(wanted, size)) {
    *base = wanted;
    return Status::kSuccess;
  }
  for (const std::size_t guard : {kPage, std::size_t{0}}) {
    if (!is_wanted || !memory.pages.take_at(wanted, size + guard)) continue;
    state_->reserved[wanted] = {size, guard};
    *base = wanted;
    return Status::kSuccess;
  }
  const auto taken = memory.take_pages(size + kPage, alignment);
  if (!taken) return Status::kOutOfMemory;
  state_->reserved[*taken] = {size, kPage};
  *base = *taken;
  return Status::kSuccess;
}

Status VirtualMemory::free(std::uintptr_t base, std::size_t size) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->reserved.find(base);
  if (found == state_->reserved.end() || found->second.size != size) {
    return Status::kInvalidValue;
  }
  const auto next = state_->mapped.lower_bound(base);
  if (next != state_->mapped.end() && next->first - base < size) {
    return Status::kInvalidValue;
  }
  const std::lock_guard memory_lock(state_->memory.mutex);
  state_->memory.pages.give(base, size + found->second.guard);
  state_->reserved.erase(found);
  return Status::kSuccess;
}

Status VirtualMemory::create(std::size_t size, int device, const void* site,
                             std::uint64_t* handle) {
  if (state_->memory.is_forked) return Status::kNotInitialized;
  if (!is_whole(size)) return Status::kInvalidValue;
  if (device != -1 && !state_->memory.has_device(device)) {
    return Status::kInvalidDevice;
  }
  const Physical made = PhysicalMemory::create(size, device, site);
  if (!made) return Status::kOutOfMemory;
  const std::lock_guard lock(state_->mutex);
  if (state_->made.size() > 2 * state_->handles.size() + 64) {
    std::erase_if(state_->made,
                  [](const auto& entry) { return entry.second.expired(); });
  }
  state_->made[made->title().id] = made;
  *handle = state_->add_handle(made);
  return Status::kSuccess;
}

Status VirtualMemory::release(std::uint64_t handle) {
  Physical last;  // freed without the lock
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->handles.find(handle);
  if (found == state_->handles.end()) return Status::kInvalidValue;
  if (--found->second.references > 0) return Status::kSuccess;
  last = std::move(found->second.memory);
  state_->handles.erase(found);
  return Status::kSuccess;
}

Status VirtualMemory::map(std::uintptr_t at, std::size_t size,
                          std::size_t offset, std::uint64_t handle) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->handles.find(handle);
  if (found == state_->handles.end() || offset != 0 || at % kGranularity != 0 ||
      size != found->second.memory->size()) {
    return Status::kInvalidValue;
  }
  const auto next = state_->mapped.lower_bound(at);
  const bool is_free =
      state_->mapping_at(at) == nullptr &&
      (next == state_->mapped.end() || next->first - at >= size);
  if (!is_free || !state_->is_reserved(at, size)) return Status::kInvalidValue;
  const Physical& physical = found->second.memory;
  MemoryState& memory = state_->memory;
  const std::lock_guard memory_lock(memory.mutex);
  if (!memory.arena.commit(at, size, physical->file(), physical->offset())) {
    return Status::kOutOfMemory;
  }
  memory.arena.protect(at, size, PROT_NONE);
  Record record;
  record.allocation = {.base = at,
                       .size = size,
                       .kind = MemoryKind::kVirtual,
                       .device = physical->device(),
                       .id = memory.next_id++,
                       .site = physical->site(),
                       .file = physical->file(),
                       .file_offset = physical->offset()};
  memory.live.add(record);
  state_->mapped[at] = {size, physical, handle, {}};
  return Status::kSuccess;
}

Status VirtualMemory::unmap(std::uintptr_t at, std::size_t size) {
  std::vector<Physical> last;  // freed without the lock
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->whole_mappings(at, size);
  if (found.empty()) return Status::kInvalidValue;
  MemoryState& memory = state_->memory;
  const std::lock_guard memory_lock(memory.mutex);
  for (const auto mapping : found) {
    const auto& [base, gone] = *mapping;
    memory.forget(Record(*memory.live.at(base)), nullptr);
    memory.arena.decommit(base, gone.size);
    last.push_back(gone.memory);
    state_->mapped.erase(mapping);
  }
  return Status::kSuccess;
}

Status VirtualMemory::set_access(std::uintptr_t at, std::size_t size,
                                 int device, unsigned flags) {
  if (flags != kNoAccess && flags != kRead && flags != kReadWrite) {
    return Status::kInvalidValue;
  }
  if (device != -1 && !state_->memory.has_device(device)) {
    return Status::kInvalidDevice;
  }
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->whole_mappings(at, size);
  if (found.empty()) return Status::kInvalidValue;
  for (const auto mapping : found) {
    mapping->second.access[device] = flags;
    state_->let(mapping->first, mapping->second);
  }
  return Status::kSuccess;
}

Status VirtualMemory::get_access(std::uintptr_t at, int device,
                                 unsigned* flags) const {
  const std::lock_guard lock(state_->mutex);
  const Mapping* const mapping = state_->mapping_at(at);
  if (mapping == nullptr) return Status::kInvalidValue;
  const auto found = mapping->access.find(device);
  *flags = found == mapping->access.end() ? kNoAccess : found->second;
  return Status::kSuccess;
}

Status VirtualMemory::export_file(std::uint64_t handle, int* file) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->handles.find(handle);
  if (found == state_->handles.end()) return Status::kInvalidValue;
  if (!found->second.memory->owns_file()) return Status::kNotSupported;
  const int copy = ::fcntl(found->second.memory->file(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return Status::kOutOfMemory;
  *file = copy;
  return Status::kSuccess;
}

Status VirtualMemory::import_file(int file, std::uint64_t* handle) {
  const auto title = title_of(file);
  const std::size_t size = size_of_file(file);
  if (!title || title->use != FileUse::kPhysical || !is_whole(size)) {
    return Status::kInvalidValue;
  }
  const std::lock_guard lock(state_->mutex);
  Physical memory;
  const auto known = state_->made.find(title->id);
  if (title->nonce == state_->memory.nonce && known != state_->made.end()) {
    memory = known->second.lock();
  }
  if (!memory) {
    const int copy = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return Status::kOutOfMemory;
    memory = std::make_shared<PhysicalMemory>(copy, *title, size);
  }
  *handle = state_->add_handle(memory);
  return Status::kSuccess;
}

Status VirtualMemory::retain(std::uintptr_t at, std::uint64_t* handle) {
  const std::lock_guard lock(state_->mutex);
  const Mapping* const mapping = state_->mapping_at(at);
  if (mapping == nullptr) return Status::kInvalidValue;
  Handle& retained = state_->handles[mapping->handle];
  retained.memory = mapping->memory;
  ++retained.references;
  *handle = mapping->handle;
  return Status::kSuccess;
}

Status VirtualMemory::device_of(std::uint64_t handle, int* device,
                                std::size_t* size) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->handles.find(handle);
  if (found == state_->handles.end()) return Status::kInvalidValue;
  *device = found->second.memory->device();
  *size = found->second.memory->size();
  return Status::kSuccess;
}

}  // namespace eclosion::emulator
