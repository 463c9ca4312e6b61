// The list of allocations that other processes may open.
#include "ledger.h"

#include <unistd.h>

namespace eclosion::emulator {

namespace {

off_t place_of(std::uint32_t slot) {
  return static_cast<off_t>(slot) * static_cast<off_t>(sizeof(LedgerSlot));
}

}  // namespace

bool Ledger::write(std::uint32_t slot, const LedgerSlot& entry) const {
  return ::pwrite(file_, &entry, sizeof(entry), place_of(slot)) ==
         static_cast<ssize_t>(sizeof(entry));
}

std::uint32_t Ledger::enter(const LedgerSlot& entry) {
  const std::lock_guard lock(mutex_);
  std::uint32_t slot = kNone;
  if (!empty_.empty()) {
    slot = empty_.back();
    empty_.pop_back();
  } else if (fresh_ < kSlots) {
    slot = fresh_++;
  } else {
    return kNone;
  }
  if (write(slot, entry)) return slot;
  empty_.push_back(slot);
  return kNone;
}

void Ledger::clear(std::uint32_t slot) {
  const std::lock_guard lock(mutex_);
  write(slot, LedgerSlot{});
  empty_.push_back(slot);
}

std::optional<LedgerSlot> Ledger::read(int file, std::uint32_t slot) {
  LedgerSlot entry;
  if (slot >= kSlots) return std::nullopt;
  if (::pread(file, &entry, sizeof(entry), place_of(slot)) !=
      static_cast<ssize_t>(sizeof(entry))) {
    return std::nullopt;
  }
  if (entry.id == 0) return std::nullopt;
  return entry;
}

}  // namespace eclosion::emulator
