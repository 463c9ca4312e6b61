// The list of allocations that other processes may open.
//
// It lies at the start of the arena's file. A handle names a slot of it, and
// whoever opens the handle believes the slot, not the handle: a slot is empty
// once its allocation is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace eclosion::emulator {

struct LedgerSlot {
  std::uint64_t id = 0;    // of the allocation; 0: empty
  std::int32_t file = -1;  // number of the descriptor in the owner's process
  std::int32_t device = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class Ledger {
 public:
  static constexpr std::size_t kBytes = std::size_t{2} << 20;
  static constexpr std::uint32_t kSlots = kBytes / sizeof(LedgerSlot);
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // `file`: of the arena, kBytes of which are the ledger's.
  explicit Ledger(int file) : file_(file) {}

  // kNone: all slots are in use.
  std::uint32_t enter(const LedgerSlot& entry);
  void clear(std::uint32_t slot);
  // A slot of a ledger, which may be another process's; empty: there is none.
  static std::optional<LedgerSlot> read(int file, std::uint32_t slot);

 private:
  bool write(std::uint32_t slot, const LedgerSlot& entry) const;

  int file_;
  std::mutex mutex_;
  std::uint32_t fresh_ = 0;  // slots from here on were never used
  std::vector<std::uint32_t> empty_;
};

}  // namespace eclosion::emulator
