// Allocations that other processes open, by handles and by descriptors.
#include "shared_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "memory.h"
#include "memory_state.h"
#include "shadow.h"
#include "ticket.h"

namespace eclosion::emulator {

namespace {

// What is open: by process, allocation and device, and by address.
struct Imports {
  using Key = std::tuple<std::uint64_t, std::uint64_t, int>;
  struct Entry {
    std::uintptr_t base = 0;
    unsigned opened = 0;
  };
  std::mutex mutex;
  std::map<Key, Entry> entries;
};

Imports& imports() {
  static Imports* const all = new Imports;
  return *all;
}

// Map memory of another process into the arena.
Status map_shared(MemoryState& state, const SharedMemory& shared, int device,
                  std::uint64_t pool, std::uintptr_t* base) {
  const std::size_t start = align_down(shared.slot.offset, kPage);
  const std::size_t before = shared.slot.offset - start;
  const std::size_t bytes = align_up(before + shared.slot.size, kPage);
  const std::lock_guard lock(state.mutex);
  const auto pages = state.take_pages(bytes + kPage, kPage);
  if (!pages) return Status::kOutOfMemory;
  if (!state.arena.commit(*pages, bytes, shared.file, start)) {
    state.pages.give(*pages, bytes + kPage);
    return Status::kMapFailed;
  }
  Record record;
  record.span_base = *pages;
  record.span = bytes + kPage;
  record.allocation = {.base = *pages + before,
                       .size = shared.slot.size,
                       .kind = MemoryKind::kImported,
                       .device = device,
                       .id = state.next_id++,
                       .site = nullptr,
                       .pool = pool};
  state.live.add(record);
  state.arena.allow(record.allocation.base, record.allocation.size);
  *base = record.allocation.base;
  return Status::kSuccess;
}

}  // namespace

Status export_of_pool(const void* address, std::uint64_t pool,
                      SharedHandle* handle) {
  MemoryState& state = memory_state();
  if (state.is_forked) return Status::kNotInitialized;
  Ticket ticket;
  ticket.pool = pool;
  {
    const std::lock_guard lock(state.mutex);
    Record* const found =
        state.live.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == nullptr || found->allocation.kind != MemoryKind::kDevice ||
        found->allocation.pool != pool) {
      return Status::kInvalidValue;
    }
    const Allocation& of = found->allocation;
    if (found->slot == Ledger::kNone) {
      found->slot = state.ledger.enter(
          {of.id, of.file, of.device, of.file_offset, of.size});
    }
    if (found->slot == Ledger::kNone) return Status::kOutOfMemory;
    ticket.id = of.id;
    ticket.slot = found->slot;
  }
  *handle = ticket.sealed();
  return Status::kSuccess;
}

Status import_into_pool(const Ticket& ticket, int device, std::uint64_t pool,
                        void** address) {
  MemoryState& state = memory_state();
  if (state.is_forked) return Status::kNotInitialized;
  if (!state.has_device(device)) return Status::kInvalidDevice;
  if (ticket.nonce == state.nonce && ticket.process == ::getpid()) {
    return Status::kInvalidContext;
  }
  const std::lock_guard lock(imports().mutex);
  const Imports::Key key{ticket.nonce, ticket.id, device};
  const auto known = imports().entries.find(key);
  if (known != imports().entries.end()) {
    ++known->second.opened;
    *address = reinterpret_cast<void*>(known->second.base);
    return Status::kSuccess;
  }
  const auto shared = open_shared(ticket);
  if (!shared) return Status::kMapFailed;
  std::uintptr_t base = 0;
  const Status status = map_shared(state, *shared, device, pool, &base);
  ::close(shared->file);
  if (status != Status::kSuccess) return status;
  imports().entries[key] = {base, 1};
  *address = reinterpret_cast<void*>(base);
  return Status::kSuccess;
}

Status export_memory(const void* address, SharedHandle* handle) {
  return export_of_pool(address, 0, handle);
}

Status import_memory(const SharedHandle& handle, int device, void** address) {
  const auto ticket = Ticket::read(handle);
  if (!ticket || ticket->pool != 0) return Status::kInvalidHandle;
  return import_into_pool(*ticket, device, 0, address);
}

Status close_imported(void* address) {
  MemoryState& state = memory_state();
  const auto base = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(imports().mutex);
  auto& entries = imports().entries;
  const auto found = std::find_if(
      entries.begin(), entries.end(),
      [base](const auto& entry) { return entry.second.base == base; });
  if (found == entries.end()) return Status::kInvalidValue;
  if (--found->second.opened > 0) return Status::kSuccess;
  entries.erase(found);
  const std::lock_guard state_lock(state.mutex);
  const Record gone = *state.live.at(base);
  state.forget(gone, nullptr);
  state.arena.decommit(gone.span_base, gone.span - kPage);
  state.freed.rest({gone.span_base, gone.span, false});
  return Status::kSuccess;
}

Status export_dmabuf(const void* address, std::size_t size, int* file,
                     std::size_t* offset) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  MemoryState& state = memory_state();
  const std::shared_lock lock(state.mutex);
  const Record* const found = std::as_const(state.live).find(at);
  if (found == nullptr || size == 0) return Status::kInvalidValue;
  const Allocation& of = found->allocation;
  if (of.file < 0) return Status::kNotSupported;
  const std::size_t most = align_up(of.end(), kPage) - at;
  if (size > most) return Status::kInvalidValue;
  const int copy = ::fcntl(of.file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return Status::kOutOfMemory;
  *file = copy;
  *offset = of.file_offset + (at - of.base);
  return Status::kSuccess;
}

}  // namespace eclosion::emulator
