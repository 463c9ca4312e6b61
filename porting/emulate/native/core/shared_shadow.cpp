// What is looked at when an access is not plainly in order.
#include "shared_shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace eclosion::emulator {
namespace {

using Record = SharedRecord;

// Cells after the last one, for what reaches past it.
constexpr std::size_t kGuard = 64;

std::uint32_t thread_of(std::uint32_t record) {
  return record & Record::kThread;
}
std::uint32_t mark_of(std::uint32_t record) { return record & Record::kMark; }

bool is_of_wave(std::uint32_t record, const Author& author) {
  return ((record ^ author.record) & Record::kThread & ~author.lane_bits) == 0;
}

bool is_of_wave_epoch(std::uint32_t record, const Author& author) {
  return ((record ^ author.record) & Record::kWaveEpoch) == 0;
}

bool is_now(std::uint32_t record, const Author& author) {
  return ((record ^ author.record) & Record::kEpoch) == 0;
}

// Whether something orders the recorded access before the author's. Epochs of
// waves are not counted past the last one that fits.
bool is_ordered(std::uint32_t record, const Author& author) {
  if (!is_now(record, author)) return true;
  if (!is_of_wave(record, author)) return false;
  return !is_of_wave_epoch(record, author) ||
         (record & Record::kWaveEpoch) == Record::kWaveEpoch;
}

std::optional<SharedConflict> conflict_with_write(std::uint32_t write,
                                                  const Author& author,
                                                  bool is_atomic) {
  if (thread_of(write) == thread_of(author.record) ||
      is_ordered(write, author) ||
      (is_atomic && mark_of(write) == Record::kAtomic)) {
    return std::nullopt;
  }
  return SharedConflict{static_cast<std::uint16_t>(thread_of(write)), true};
}

std::optional<SharedConflict> conflict_with_read(std::uint32_t read,
                                                 const Author& author) {
  if (!is_now(read, author)) return std::nullopt;
  const std::uint32_t mark = mark_of(read);
  if (mark == 0 && thread_of(read) == thread_of(author.record)) {
    return std::nullopt;
  }
  if (mark != Record::kManyWaves && is_ordered(read, author)) {
    return std::nullopt;
  }
  return SharedConflict{mark == 0 ? static_cast<std::uint16_t>(thread_of(read))
                                  : SharedConflict::kMany,
                        false};
}

std::uint32_t merged_read(std::uint32_t read, const Author& author) {
  if (!is_now(read, author)) return author.record;
  if (mark_of(read) == Record::kManyWaves || !is_of_wave(read, author)) {
    return author.record | Record::kManyWaves;
  }
  if (!is_of_wave_epoch(read, author)) return author.record;
  return thread_of(read) == thread_of(author.record)
             ? author.record | mark_of(read)
             : author.record | Record::kSameWave;
}

std::optional<SharedConflict> note_in(SharedCell& cell, const Author& author,
                                      bool is_write, bool is_atomic) {
  auto conflict = conflict_with_write(cell.write, author, is_atomic);
  if (!is_write) {
    cell.read = merged_read(cell.read, author);
    return conflict;
  }
  if (!is_atomic && !conflict) conflict = conflict_with_read(cell.read, author);
  cell.write = author.record | (is_atomic ? Record::kAtomic : 0);
  return conflict;
}

// Without what lies before the last barrier, so that bytes can become equal.
SharedCell without_past(const SharedCell& cell, const Author& author) {
  return {is_past_write(cell.write, author) ? Record::kUntouched : cell.write,
          is_now(cell.read, author) ? cell.read : 0};
}

}  // namespace

void merge_read(SharedCell& cell, Author author) noexcept {
  cell.read = merged_read(cell.read, author);
}

SharedShadow::SharedShadow(std::size_t bytes)
    : size_((bytes / kSharedCellBytes + kGuard + bytes) * sizeof(SharedCell)) {
  void* at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  cells_ = static_cast<SharedCell*>(at);
  bytes_ = cells_ + bytes / kSharedCellBytes + kGuard;
}

SharedShadow::~SharedShadow() { ::munmap(cells_, size_); }

void SharedShadow::enclose(std::size_t offset, std::size_t size) {
  const std::size_t whole = size / kSharedCellBytes;
  const SharedCell untouched{Record::kUntouched, 0};
  SharedCell* const first = cells_ + offset / kSharedCellBytes;
  std::fill_n(first, whole, untouched);
  const std::size_t rest = size % kSharedCellBytes;
  if (rest == 0) return;
  first[whole] = {Record::kBytesDiffer, 0};
  SharedCell* const bytes = bytes_ + offset + size - rest;
  std::fill_n(bytes, kSharedCellBytes, SharedCell{});
  std::fill_n(bytes, rest, untouched);
}

void SharedShadow::exclude(std::size_t offset, std::size_t size) {
  std::fill_n(cells_ + offset / kSharedCellBytes,
              (size + kSharedCellBytes - 1) / kSharedCellBytes, SharedCell{});
}

std::optional<SharedConflict> SharedShadow::note(std::size_t offset,
                                                 std::size_t size,
                                                 const Author& author,
                                                 bool is_write,
                                                 bool is_atomic) {
  std::optional<SharedConflict> found;
  for (const std::size_t end = offset + size; offset < end;) {
    SharedCell& cell = cells_[offset / kSharedCellBytes];
    const std::size_t part =
        std::min(end - offset, kSharedCellBytes - offset % kSharedCellBytes);
    const auto conflict =
        part == kSharedCellBytes && cell.write != Record::kBytesDiffer
            ? note_in(cell, author, is_write, is_atomic)
            : note_bytes(offset, part, author, is_write, is_atomic);
    if (!found) found = conflict;
    offset += part;
  }
  return found;
}

// Of one cell. Its bytes go together again when they have one past.
std::optional<SharedConflict> SharedShadow::note_bytes(std::size_t offset,
                                                       std::size_t size,
                                                       const Author& author,
                                                       bool is_write,
                                                       bool is_atomic) {
  SharedCell& cell = cells_[offset / kSharedCellBytes];
  SharedCell* const bytes = bytes_ + offset - offset % kSharedCellBytes;
  if (cell.write != Record::kBytesDiffer) {
    std::fill_n(bytes, kSharedCellBytes, cell);
  }
  std::optional<SharedConflict> found;
  for (std::size_t byte = 0; byte < kSharedCellBytes; ++byte) {
    bytes[byte] = without_past(bytes[byte], author);
    if (byte - offset % kSharedCellBytes >= size) continue;
    const auto conflict = note_in(bytes[byte], author, is_write, is_atomic);
    if (!found) found = conflict;
  }
  const bool is_one =
      std::all_of(bytes + 1, bytes + kSharedCellBytes,
                  [&](const SharedCell& each) { return each == bytes[0]; });
  cell = is_one ? bytes[0] : SharedCell{Record::kBytesDiffer, 0};
  return found;
}

}  // namespace eclosion::emulator
