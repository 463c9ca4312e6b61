// The way from a handle to another process's memory.
#include "ticket.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "memory_file.h"
#include "memory_state.h"
#include "process_birth.h"

namespace eclosion::emulator {

namespace {

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

int open_of(int process, int file) {
  char path[48];
  std::snprintf(path, sizeof(path), "/proc/%d/fd/%d", process, file);
  return ::open(path, O_RDWR | O_CLOEXEC);
}

}  // namespace

SharedHandle Ticket::sealed() const {
  Ticket full = *this;
  full.nonce = memory_state().nonce;
  full.process = ::getpid();
  full.started = birth_of(full.process);
  full.ledger = memory_state().arena.file();
  full.check = check_of(full);
  SharedHandle handle{};
  std::memcpy(handle.bytes, &full, sizeof(full));
  return handle;
}

std::optional<Ticket> Ticket::read(const SharedHandle& handle) {
  Ticket ticket;
  std::memcpy(&ticket, handle.bytes, sizeof(ticket));
  if (ticket.magic != kMagic || ticket.check != check_of(ticket)) {
    return std::nullopt;
  }
  return ticket;
}

std::optional<SharedMemory> open_shared(const Ticket& ticket) {
  const std::uint64_t birth = birth_of(ticket.process);
  if (birth == 0 || birth != ticket.started) return std::nullopt;
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
  return SharedMemory{file.release(), *slot};
}

}  // namespace eclosion::emulator
