// Allocations that other processes open, by handles and by descriptors.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "memory.h"
#include "memory_file.h"
#include "memory_state.h"
#include "shadow.h"

namespace eclosion::emulator {

namespace {

constexpr std::uint64_t kMagic = 0x314d454d434c4345;  // "ECLCMEM1"

// What the bytes of a handle are. Where the memory is and how much of it, the
// ledger of its process says.
struct Ticket {
  std::uint64_t magic = kMagic;
  std::uint64_t nonce = 0;
  std::uint64_t id = 0;
  std::uint64_t started = 0;  // when the process began, in ticks of the kernel
  std::int32_t process = 0;
  std::int32_t ledger = -1;  // the descriptor there
  std::uint32_t slot = 0;
  std::uint32_t unused[3] = {};
  std::uint64_t check = 0;  // of all bytes before
};
static_assert(sizeof(Ticket) == sizeof(SharedHandle));

std::uint64_t check_of(const Ticket& ticket) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&ticket);
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (std::size_t i = 0; i < offsetof(Ticket, check); ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  }
  return hash;
}

// A descriptor that is closed at the end.
class File {
 public:
  explicit File(int number) : number_(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const noexcept { return number_; }
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

// A process's start, which tells it from a later one of the same number; field
// 22 of proc_pid_stat(5), counted behind the name, which can hold anything.
std::optional<std::uint64_t> start_of(int process) {
  char path[40];
  std::snprintf(path, sizeof(path), "/proc/%d/stat", process);
  const File file(::open(path, O_RDONLY | O_CLOEXEC));
  char text[1024] = {};
  if (file.get() < 0 || ::read(file.get(), text, sizeof(text) - 1) <= 0) {
    return std::nullopt;
  }
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) {
    at = std::strchr(at + 1, ' ');
  }
  unsigned long long started = 0;
  if (at == nullptr || std::sscanf(at, "%llu", &started) != 1) {
    return std::nullopt;
  }
  return started;
}

int open_of(int process, int file) {
  char path[48];
  std::snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, file);
  return ::open(path, O_RDWR | O_CLOEXEC);
}

// Memory of another process, open.
struct Shared {
  int file = -1;
  LedgerSlot slot;
};

// Follow a ticket; empty: the process or the allocation is no more.
std::optional<Shared> open_shared(const Ticket& ticket) {
  if (start_of(ticket.process) != ticket.started) return std::nullopt;
  File ledger(open_of(ticket.process, ticket.ledger));
  if (ledger.get() < 0 || title_of(ledger.get()) !=
                              FileTitle{FileUse::kArena, ticket.nonce, 0, -1}) {
    return std::nullopt;
  }
  const auto slot = Ledger::read(ledger.get(), ticket.slot);
  if (!slot || slot->id != ticket.id) return std::nullopt;
  File file(slot->file == ticket.ledger
                ? ::fcntl(ledger.get(), F_DUPFD_CLOEXEC, 0)
                : open_of(ticket.process, slot->file));
  if (file.get() < 0) return std::nullopt;
  const bool is_its_own =
      title_of(file.get()) ==
      FileTitle{FileUse::kAllocation, ticket.nonce, slot->id, slot->device};
  if (slot->file != ticket.ledger && !is_its_own) return std::nullopt;
  const std::size_t length = size_of_file(file.get());
  if (slot->size == 0 || slot->offset > length ||
      slot->size > length - slot->offset) {
    return std::nullopt;
  }
  // It may have been freed, and its descriptor's number used again, meanwhile.
  const auto again = Ledger::read(ledger.get(), ticket.slot);
  if (!again || again->id != ticket.id) return std::nullopt;
  return Shared{file.release(), *slot};
}

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
Status map_shared(MemoryState& state, const Shared& shared, int device,
                  std::uintptr_t* base) {
  const std::size_t start = align_down(shared.slot.offset, kPage);
  const std::size_t before = shared.slot.offset - start;
  const std::size_t bytes = align_up(before + shared.slot.size, kPage);
  Record record;
  const std::lock_guard lock(state.mutex);
  const auto pages = state.take_pages(bytes + kPage, kPage);
  if (!pages) return Status::kOutOfMemory;
  if (!state.arena.commit(*pages, bytes, shared.file, start)) {
    state.pages.give(*pages, bytes + kPage);
    return Status::kMapFailed;
  }
  record.span_base = *pages;
  record.span = bytes + kPage;
  record.allocation = {.base = *pages + before,
                       .size = shared.slot.size,
                       .kind = MemoryKind::kImported,
                       .device = device,
                       .id = state.next_id++,
                       .site = nullptr};
  state.live.add(record);
  state.arena.allow(record.allocation.base, record.allocation.size);
  *base = record.allocation.base;
  return Status::kSuccess;
}

}  // namespace

Status export_memory(const void* address, SharedHandle* handle) {
  MemoryState& state = memory_state();
  Ticket ticket;
  {
    const std::lock_guard lock(state.mutex);
    Record* const found =
        state.live.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == nullptr || found->allocation.kind != MemoryKind::kDevice) {
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
  ticket.nonce = state.nonce;
  ticket.process = ::getpid();
  ticket.started = start_of(ticket.process).value_or(0);
  ticket.ledger = state.arena.file();
  ticket.check = check_of(ticket);
  std::memcpy(handle->bytes, &ticket, sizeof(ticket));
  return Status::kSuccess;
}

Status import_memory(const SharedHandle& handle, int device, void** address) {
  MemoryState& state = memory_state();
  Ticket ticket;
  std::memcpy(&ticket, handle.bytes, sizeof(ticket));
  if (ticket.magic != kMagic || ticket.check != check_of(ticket)) {
    return Status::kInvalidHandle;
  }
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
  const File file(shared->file);
  std::uintptr_t base = 0;
  const Status status = map_shared(state, *shared, device, &base);
  if (status != Status::kSuccess) return status;
  imports().entries[key] = {base, 1};
  *address = reinterpret_cast<void*>(base);
  return Status::kSuccess;
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
