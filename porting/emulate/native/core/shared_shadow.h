// Who touched each byte of a block's shared memory since the last barrier, and
// whether two threads did so in no order. Pure.
//
// Per byte the shadow has the last write and the last read. Two accesses of
// different threads, one of them a write, race unless a barrier of the block
// lies between them, or one of their wave if they are of one wave.
//
// Four bytes nearly always have one past, and are looked at once: a cell has
// their records. Where they differ the cell says so, and each byte has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace eclosion::emulator {

inline constexpr std::size_t kSharedCellBytes = 4;

// An access in 32 bits: block epoch 12, mark 2, wave epoch 8, thread 10. What
// comes after a barrier of the block is the greater number.
struct SharedRecord {
  static constexpr std::uint32_t kThread = (1U << 10) - 1;
  static constexpr unsigned kWaveEpochShift = 10;
  static constexpr std::uint32_t kWaveEpoch = 255U << kWaveEpochShift;
  static constexpr unsigned kEpochShift = 20;
  static constexpr std::uint32_t kEpoch = 4095U << kEpochShift;
  // The mark of a write that was atomic.
  static constexpr std::uint32_t kAtomic = 1U << 18;
  // Of a read by several threads, of one wave or of several.
  static constexpr std::uint32_t kSameWave = 1U << 18;
  static constexpr std::uint32_t kManyWaves = 2U << 18;
  static constexpr std::uint32_t kMark = 3U << 18;
  // In the place of a write: no variable is there; one is, which nobody has
  // touched; the bytes of the cell differ.
  static constexpr std::uint32_t kOutside = 0;
  static constexpr std::uint32_t kUntouched = 1;
  static constexpr std::uint32_t kBytesDiffer = ~std::uint32_t{0};
};

// The moment and the author of an access.
struct Author {
  std::uint32_t record = 0;
  std::uint32_t latest_past = 0;  // the greatest record before the last barrier
  std::uint32_t many_waves = 0;   // a read of now by several waves
  std::uint32_t lane_bits = 0;  // of the thread's number, those within its wave

  // `block_epoch`: barriers of the block so far; `wave_epoch`: of the author's
  // wave.
  static Author of(unsigned thread, unsigned wave_size, unsigned block_epoch,
                   unsigned wave_epoch) noexcept {
    const std::uint32_t epoch = (block_epoch + 1) << SharedRecord::kEpochShift;
    return {epoch | wave_epoch << SharedRecord::kWaveEpochShift | thread,
            epoch - 1, epoch | SharedRecord::kManyWaves, wave_size - 1};
  }
};

// The records of one byte, or of four.
struct SharedCell {
  std::uint32_t write = SharedRecord::kOutside;
  std::uint32_t read = 0;
  bool operator==(const SharedCell&) const = default;
};

struct SharedConflict {
  std::uint16_t thread;  // of the earlier access; kMany when several read
  bool was_write;
  static constexpr std::uint16_t kMany = 0xFFFF;
};

class SharedShadow {
 public:
  // Epochs of a block that fit; at the end variables are enclosed anew.
  static constexpr std::uint16_t kEpochs = 4000;

  explicit SharedShadow(std::size_t bytes);
  ~SharedShadow();
  SharedShadow(const SharedShadow&) = delete;
  SharedShadow& operator=(const SharedShadow&) = delete;

  // Bytes are a variable that nobody has touched. `offset` is a multiple of
  // kSharedCellBytes.
  void enclose(std::size_t offset, std::size_t size);
  // They are none any more.
  void exclude(std::size_t offset, std::size_t size);

  // Record an access, and give the first conflict that it makes. Bytes must be
  // of a variable. Atomic accesses do not conflict with atomic ones.
  std::optional<SharedConflict> note(std::size_t offset, std::size_t size,
                                     const Author& author, bool is_write,
                                     bool is_atomic);

  SharedCell* cells() noexcept { return cells_; }
  // A record per byte, good where the cell's says kBytesDiffer.
  SharedCell* bytes() noexcept { return bytes_; }

 private:
  std::optional<SharedConflict> note_bytes(std::size_t offset, std::size_t size,
                                           const Author& author, bool is_write,
                                           bool is_atomic);

  SharedCell* cells_;  // and, behind them, one per byte
  SharedCell* bytes_;
  std::size_t size_;
};

// Whether a write lies before the last barrier of the block, in a variable.
inline bool is_past_write(std::uint32_t write, const Author& author) noexcept {
  return write - 1 < author.latest_past;
}

inline bool is_own_write(std::uint32_t write, const Author& author) noexcept {
  return ((write ^ author.record) &
          (SharedRecord::kEpoch | SharedRecord::kThread)) == 0;
}

// Record a read in a cell: its record is of all reads since the last barrier
// that nothing orders before the author's, which is the last of them.
void merge_read(SharedCell& cell, Author author) noexcept;

// The three below record an access to all of a cell when it is plainly in
// order; otherwise they give false, and note() has to look.
inline bool note_usual_read(SharedCell& cell, const Author& author) noexcept {
  using Record = SharedRecord;
  if (!is_past_write(cell.write, author) && !is_own_write(cell.write, author)) {
    return false;
  }
  // Nothing is added to what several threads have read already.
  const std::uint32_t read = cell.read;
  if ((read & (Record::kEpoch | Record::kMark)) == author.many_waves) {
    return true;
  }
  if (read <= author.latest_past) {
    cell.read = author.record;
  } else if (((read ^ author.record) & ~author.lane_bits) !=
             Record::kSameWave) {
    merge_read(cell, author);
  }
  return true;
}

inline bool note_usual_write(SharedCell& cell, const Author& author) noexcept {
  using Record = SharedRecord;
  constexpr std::uint32_t kWho =
      Record::kEpoch | Record::kMark | Record::kThread;
  if (!is_past_write(cell.write, author) && !is_own_write(cell.write, author)) {
    return false;
  }
  if (cell.read > author.latest_past &&
      ((cell.read ^ author.record) & kWho) != 0) {
    return false;
  }
  cell.write = author.record;
  return true;
}

inline bool note_usual_atomic(SharedCell& cell, const Author& author) noexcept {
  using Record = SharedRecord;
  constexpr std::uint32_t kWhat = Record::kEpoch | Record::kMark;
  if (!is_past_write(cell.write, author) && !is_own_write(cell.write, author) &&
      ((cell.write ^ author.record) & kWhat) != Record::kAtomic) {
    return false;
  }
  cell.write = author.record | Record::kAtomic;
  return true;
}

}  // namespace eclosion::emulator
