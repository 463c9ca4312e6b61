// Allocations of the emulated devices' memory.
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <utility>

#include "config.h"
#include "memory_file.h"
#include "memory_state.h"
#include "shadow.h"

namespace eclosion::emulator {

namespace {

// From here on an allocation has a file of its own.
constexpr std::size_t kLarge = std::size_t{64} << 10;

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

bool is_allocated(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kPinned ||
         kind == MemoryKind::kManaged;
}

// Take addresses and, of the device, bytes. The caller holds the mutex.
Status take_place(MemoryState& state, Record& record) {
  Allocation& made = record.allocation;
  record.charge = align_up(made.size, kGranule);
  if (!state.charge(made.device, record.charge)) return Status::kOutOfMemory;
  record.is_chunk = made.kind == MemoryKind::kDevice && made.size < kLarge;
  record.span = record.is_chunk ? record.charge + kGranule
                                : align_up(made.size, kPage) + kPage;
  const auto base = record.is_chunk ? state.take_chunk(record.span)
                                    : state.take_pages(record.span, kPage);
  if (!base) {
    state.refund(made.device, record.charge);
    return Status::kOutOfMemory;
  }
  made.base = record.span_base = *base;
  made.id = state.next_id++;
  made.file = state.arena.file();
  made.file_offset = state.arena.offset_of(made.base);
  record.owns_file =
      made.size >= kLarge && state.own_files < state.most_own_files;
  if (record.owns_file) ++state.own_files;
  return Status::kSuccess;
}

// Put memory at the addresses of a record.
bool put_memory(const MemoryState& state, Record& record) {
  Allocation& made = record.allocation;
  if (record.is_chunk) return true;
  const std::size_t bytes = align_up(made.size, kPage);
  if (record.owns_file) {
    const int file = create_memory_file(
        {FileUse::kAllocation, state.nonce, made.id, made.device}, bytes);
    if (file < 0) return false;
    made.file = file;
    made.file_offset = 0;
  }
  if (state.arena.commit(made.base, bytes, made.file, made.file_offset)) {
    return true;
  }
  if (record.owns_file) ::close(made.file);
  return false;
}

// Take memory away from the addresses of a record, which is live no more.
void take_memory(const MemoryState& state, const Record& record) {
  const Allocation& gone = record.allocation;
  const std::size_t bytes = align_up(gone.size, kPage);
  if (record.alias != nullptr) ::munmap(record.alias, bytes);
  if (record.is_chunk) return;
  if (!record.owns_file) {
    state.arena.decommit_own(gone.base, bytes);
    return;
  }
  state.arena.decommit(gone.base, bytes);
  ::close(gone.file);
}

// Undo take_place() and put_memory() of an allocation that is live no more.
void dismiss(MemoryState& state, const Record& record) {
  take_memory(state, record);
  const std::lock_guard lock(state.mutex);
  if (record.owns_file) --state.own_files;
  state.freed.rest({record.span_base, record.span, record.is_chunk});
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
  if (size > arena_size_) return Status::kOutOfMemory;
  Record record;
  record.allocation = {.size = size,
                       .kind = kind,
                       .device = device,
                       .flags = flags,
                       .site = site};
  {
    const std::lock_guard lock(state_.mutex);
    const Status status = take_place(state_, record);
    if (status != Status::kSuccess) return status;
  }
  if (!put_memory(state_, record)) {
    const std::lock_guard lock(state_.mutex);
    if (record.owns_file) --state_.own_files;
    state_.refund(device, record.charge);
    state_.give_back({record.span_base, record.span, record.is_chunk});
    return Status::kOutOfMemory;
  }
  void* const made = reinterpret_cast<void*>(record.allocation.base);
  if (size <= kMostFilled) std::memset(made, kFreshByte, size);
  const std::lock_guard lock(state_.mutex);
  state_.live.add(record);
  state_.arena.allow(record.allocation.base, size);
  *address = made;
  return Status::kSuccess;
}

Status Memory::free(void* address, MemoryKind kind, const void* site) {
  if (address == nullptr) return Status::kSuccess;
  Record gone;
  {
    const std::lock_guard lock(state_.mutex);
    const Record* const found = state_.live.at(number_of(address));
    if (found == nullptr || found->allocation.kind != kind ||
        !is_allocated(kind)) {
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
