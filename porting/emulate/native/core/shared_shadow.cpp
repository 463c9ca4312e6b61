// Records of 32 bits: thread 10, block epoch 12, wave epoch 8, and two bits
// that tell a write that was atomic, or a read by several threads.
#include "shared_shadow.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace eclosion::emulator {
namespace {

// In a write: it was atomic. In a read: by several threads of one wave, or of
// several waves.
constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kAtomic = 1;
constexpr std::uint32_t kSameWave = 1;
constexpr std::uint32_t kManyWaves = 2;

std::uint32_t record(const Author& author, std::uint32_t mark) {
  return std::uint32_t{author.thread} | std::uint32_t{author.wave_epoch} << 10 |
         static_cast<std::uint32_t>(author.block_epoch + 1U) << 18 | mark << 30;
}

std::uint32_t thread_of(std::uint32_t entry) { return entry & 1023; }
std::uint32_t wave_epoch_of(std::uint32_t entry) { return entry >> 10 & 255; }
std::uint32_t epoch_of(std::uint32_t entry) { return entry >> 18 & 4095; }
std::uint32_t mark_of(std::uint32_t entry) { return entry >> 30; }

// Whether something orders the recorded access before the author's. Waves have
// their lanes in a row, so a wave is told by the author's first thread.
bool is_ordered(std::uint32_t entry, const Author& author, unsigned wave_size) {
  if (epoch_of(entry) != author.block_epoch + 1U) return true;
  if (thread_of(entry) / wave_size != author.thread / wave_size) return false;
  return wave_epoch_of(entry) != author.wave_epoch || author.wave_epoch == 255;
}

}  // namespace

SharedShadow::SharedShadow(std::size_t bytes) : bytes_(bytes) {
  void* at = ::mmap(nullptr, bytes * sizeof(Entry), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  entries_ = static_cast<Entry*>(at);
}

SharedShadow::~SharedShadow() { ::munmap(entries_, bytes_ * sizeof(Entry)); }

void SharedShadow::clear(std::size_t bytes) {
  std::memset(entries_, 0, bytes * sizeof(Entry));
}

std::optional<SharedConflict> SharedShadow::note(std::size_t offset,
                                                 unsigned size,
                                                 const Author& author,
                                                 bool is_write,
                                                 bool is_atomic) {
  std::optional<SharedConflict> found;
  for (unsigned byte = 0; byte < size; ++byte) {
    const auto conflict =
        note_byte(entries_[offset + byte], author, is_write, is_atomic);
    if (conflict && !found) found = conflict;
  }
  return found;
}

std::optional<SharedConflict> SharedShadow::note_byte(Entry& entry,
                                                      const Author& author,
                                                      bool is_write,
                                                      bool is_atomic) {
  const unsigned wave_size = author.wave_size;
  std::optional<SharedConflict> conflict;
  const bool other_wrote = thread_of(entry.write) != author.thread &&
                           !is_ordered(entry.write, author, wave_size);
  if (other_wrote && !(is_atomic && mark_of(entry.write) == kAtomic)) {
    conflict = {static_cast<std::uint16_t>(thread_of(entry.write)), true};
  }
  const bool is_now = epoch_of(entry.read) == author.block_epoch + 1U;
  if (is_write) {
    const std::uint32_t mark = mark_of(entry.read);
    const bool by_other =
        mark != kPlain || thread_of(entry.read) != author.thread;
    const bool is_unordered = mark == kManyWaves
                                  ? is_now
                                  : !is_ordered(entry.read, author, wave_size);
    if (!is_atomic && !conflict && is_now && by_other && is_unordered) {
      conflict = {mark == kPlain
                      ? static_cast<std::uint16_t>(thread_of(entry.read))
                      : SharedConflict::kMany,
                  false};
    }
    entry.write = record(author, is_atomic ? kAtomic : kPlain);
    return conflict;
  }
  std::uint32_t mark = kPlain;
  if (is_now && thread_of(entry.read) != author.thread) {
    const bool is_same =
        thread_of(entry.read) / wave_size == author.thread / wave_size &&
        mark_of(entry.read) != kManyWaves;
    const bool is_again = wave_epoch_of(entry.read) != author.wave_epoch;
    mark = !is_same ? kManyWaves : is_again ? kPlain : kSameWave;
  } else if (is_now) {
    mark = mark_of(entry.read);
  }
  entry.read = record(author, mark);
  return conflict;
}

}  // namespace eclosion::emulator
