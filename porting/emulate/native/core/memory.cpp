// Allocations of the emulated devices' memory.
#include "memory.h"

#include <sys/mman.h>

#include <mutex>
#include <utility>

#include "config.h"
#include "memory_state.h"
#include "placement.h"
#include "pool.h"
#include "shadow.h"

namespace eclosion::emulator {

namespace {

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

bool is_allocated(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kHeap ||
         kind == MemoryKind::kPinned || kind == MemoryKind::kManaged;
}

}  // namespace

Memory& Memory::get() {
  static Memory* const memory = new Memory;  // outlives all threads
  return *memory;
}

Memory::Memory()
    : state_(memory_state()),
      arena_(state_.arena.base()),
      arena_size_(state_.arena.size()),
      shadow_(state_.arena.shadow()) {}

Status Memory::allocate(std::size_t size, MemoryKind kind, int device,
                        unsigned flags, const void* site, void** address) {
  *address = nullptr;
  if (!is_allocated(kind)) return Status::kInvalidValue;
  if (kind == MemoryKind::kPinned) {
    device = -1;
  } else if (!state_.has_device(device)) {
    return Status::kInvalidDevice;
  }
  if (size == 0) return Status::kSuccess;
  Record record;
  record.allocation = {.size = size,
                       .kind = kind,
                       .device = device,
                       .flags = flags,
                       .site = site};
  record.charge = size > arena_size_ ? size : align_up(size, kGranule);
  const Status status = place(state_, record);
  if (status != Status::kSuccess) return status;
  const std::lock_guard lock(state_.mutex);
  state_.live.add(record);
  state_.arena.allow(record.allocation.base, size);
  *address = reinterpret_cast<void*>(record.allocation.base);
  return Status::kSuccess;
}

Status Memory::free(void* address, MemoryKind kind, const void* site) {
  if (address == nullptr) return Status::kSuccess;
  if (state_.is_forked) return Status::kNotInitialized;
  if (kind == MemoryKind::kDevice &&
      (free_pooled(address, site) || free_of_graph(address, site))) {
    return Status::kSuccess;
  }
  Record gone;
  {
    const std::lock_guard lock(state_.mutex);
    const Record* const found = state_.live.at(number_of(address));
    if (found == nullptr || found->allocation.kind != kind ||
        !is_allocated(kind) || found->allocation.pool != 0) {
      return Status::kInvalidValue;
    }
    gone = *found;
    state_.forget(*found, site);
  }
  dismiss(state_, gone);
  return Status::kSuccess;
}

void Memory::free_all(int device, const void* site) {
  for (const Allocation& allocation : live()) {
    if (allocation.device != device) continue;
    void* const address = reinterpret_cast<void*>(allocation.base);
    if (is_allocated(allocation.kind)) free(address, allocation.kind, site);
    while (allocation.kind == MemoryKind::kImported &&
           close_imported(address) == Status::kSuccess) {
    }
  }
}

Status Memory::register_host(void* address, std::size_t size, unsigned flags) {
  const std::uintptr_t base = number_of(address);
  if (address == nullptr || size == 0 || base + size < base) {
    return Status::kInvalidValue;
  }
  const std::lock_guard lock(state_.mutex);
  if (state_.arena.has(base)) {
    const Record* const found = state_.live.find(base);
    return found != nullptr && found->allocation.kind == MemoryKind::kPinned
               ? Status::kAlreadyRegistered
               : Status::kInvalidValue;
  }
  if (state_.registered.overlaps(base, size)) {
    return Status::kAlreadyRegistered;
  }
  // It flushes nothing, and fails where no memory is mapped.
  const std::uintptr_t page = align_down(base, kPage);
  if (::msync(reinterpret_cast<void*>(page), base + size - page, MS_ASYNC) !=
      0) {
    return Status::kInvalidValue;
  }
  Record record;
  record.allocation = {.base = base,
                       .size = size,
                       .kind = MemoryKind::kRegistered,
                       .device = -1,
                       .flags = flags,
                       .id = state_.next_id++,
                       .site = nullptr};
  state_.registered.add(record);
  return Status::kSuccess;
}

Status Memory::unregister_host(void* address) {
  const std::lock_guard lock(state_.mutex);
  if (state_.registered.at(number_of(address)) == nullptr) {
    return Status::kNotRegistered;
  }
  state_.registered.remove(number_of(address));
  return Status::kSuccess;
}

std::optional<Allocation> Memory::find(const void* address) const {
  const std::uintptr_t at = number_of(address);
  const std::shared_lock lock(state_.mutex);
  const Records& records =
      state_.arena.has(at) ? state_.live : state_.registered;
  const Record* const found = records.find(at);
  if (found == nullptr) return std::nullopt;
  return found->allocation;
}

std::size_t Memory::readable_mapped(const void* address,
                                    std::size_t most) const {
  const std::uintptr_t from = number_of(address);
  const std::shared_lock lock(state_.mutex);
  std::size_t readable = 0;
  while (readable < most) {
    const Record* const found = state_.live.find(from + readable);
    if (found == nullptr || found->allocation.kind != MemoryKind::kVirtual ||
        found->allocation.flags == 0) {
      return readable;
    }
    readable = found->allocation.end() - from;
  }
  return most;
}

std::byte* Memory::alias(const void* address) {
  const std::uintptr_t at = number_of(address);
  const std::lock_guard lock(state_.mutex);
  Record* const found = state_.live.find(at);
  if (found == nullptr) return nullptr;
  const Allocation& of = found->allocation;
  if (of.kind != MemoryKind::kPinned && of.kind != MemoryKind::kManaged) {
    return nullptr;
  }
  if (found->alias == nullptr) {
    void* const view =
        ::mmap(nullptr, align_up(of.size, kPage), PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_NORESERVE, of.file,
               static_cast<off_t>(of.file_offset));
    if (view == MAP_FAILED) return nullptr;
    found->alias = static_cast<std::byte*>(view);
  }
  return found->alias + (at - of.base);
}

std::vector<Allocation> Memory::live() const {
  const std::shared_lock lock(state_.mutex);
  std::vector<Allocation> all;
  for (const Records* records : {&state_.live, &state_.registered}) {
    for (const auto& [base, record] : records->all()) {
      all.push_back(record.allocation);
    }
  }
  return all;
}

std::optional<Allocation> Memory::find_freed(const void* address,
                                             const void** freed_at) const {
  const std::shared_lock lock(state_.mutex);
  return state_.freed.find(number_of(address), freed_at);
}

std::size_t Memory::total(int device) const {
  return state_.has_device(device) ? Config::get().memory : 0;
}

std::size_t Memory::available(int device) const {
  const std::shared_lock lock(state_.mutex);
  if (!state_.has_device(device)) return 0;
  return Config::get().memory - state_.used[static_cast<std::size_t>(device)];
}

}  // namespace eclosion::emulator
