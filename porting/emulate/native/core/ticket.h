// What the bytes of a handle say, and the way from them to another process's
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ledger.h"
#include "memory.h"

namespace eclosion::emulator {

// Where the memory is and how much of it, the ledger of its process says.
struct Ticket {
  static constexpr std::uint64_t kMagic = 0x314d454d434c4345;  // "ECLCMEM1"

  std::uint64_t magic = kMagic;
  std::uint64_t nonce = 0;
  std::uint64_t id = 0;
  std::uint64_t pool = 0;     // 0: of none
  std::uint64_t started = 0;  // when the process began, in ticks of the kernel
  std::int32_t process = 0;
  std::int32_t ledger = -1;  // the descriptor there
  std::uint32_t slot = 0;
  std::uint32_t unused = 0;
  std::uint64_t check = 0;  // of all bytes before

  // Of this process's memory: the process is filled in.
  SharedHandle sealed() const;
  // Empty: the bytes are no ticket's.
  static std::optional<Ticket> read(const SharedHandle& handle);
};
static_assert(sizeof(Ticket) == sizeof(SharedHandle));

// Memory of another process; the caller closes the file.
struct SharedMemory {
  int file = -1;
  LedgerSlot slot;
};

// Follow a ticket; empty: the process or the allocation is no more.
std::optional<SharedMemory> open_shared(const Ticket& ticket);

}  // namespace eclosion::emulator
