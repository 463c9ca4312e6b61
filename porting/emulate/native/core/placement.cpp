// Where an allocation lies and what is behind it.
#include "placement.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "memory_file.h"
#include "shadow.h"

namespace eclosion::emulator {

namespace {

// From here on an allocation has a file of its own.
constexpr std::size_t kLarge = std::size_t{64} << 10;

// Take addresses and, of the device, bytes.
Status take_place(MemoryState& state, Record& record) {
  const std::lock_guard lock(state.mutex);
  Allocation& made = record.allocation;
  if (!state.charge(made.device, record.charge)) return Status::kOutOfMemory;
  const bool is_devices =
      made.kind == MemoryKind::kDevice || made.kind == MemoryKind::kHeap;
  record.is_chunk = is_devices && made.size < kLarge;
  record.span = record.is_chunk ? align_up(made.size, kGranule) + kGranule
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
    const FileTitle title{FileUse::kAllocation, state.nonce, made.id,
                          made.device};
    const int file = create_memory_file(title, bytes);
    if (file < 0) return false;
    made.file = file;
    made.file_offset = 0;
  }
  if (state.arena.commit(made.base, bytes, made.file, made.file_offset)) {
    return true;
  }
  const int reason = errno;
  if (record.owns_file) ::close(made.file);
  errno = reason;
  return false;
}

// Take memory away from the addresses of a record.
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

// The program is told "out of memory", though its device has some.
void complain_once(int reason) {
  static std::atomic_flag was_told;
  if (was_told.test_and_set()) return;
  std::fprintf(stderr,
               "porting emulate: this machine refused memory for an emulated "
               "device (%s), so an allocation fails; free memory of the "
               "machine, or raise 'sysctl vm.max_map_count' where the program "
               "has tens of thousands of large allocations\n",
               std::strerror(reason));
}

}  // namespace

Status place(MemoryState& state, Record& record) {
  const Allocation& made = record.allocation;
  if (state.is_forked) return Status::kNotInitialized;
  if (made.size > state.arena.size()) return Status::kOutOfMemory;
  const Status status = take_place(state, record);
  if (status != Status::kSuccess) return status;
  if (put_memory(state, record)) {
    if (!record.is_chunk && state.fill(made.size)) record.filled = made.size;
    if (record.is_chunk || record.filled != 0) {
      std::memset(reinterpret_cast<void*>(made.base), kFreshByte, made.size);
    }
    return Status::kSuccess;
  }
  complain_once(errno);
  const std::lock_guard lock(state.mutex);
  if (record.owns_file) --state.own_files;
  state.refund(made.device, record.charge);
  state.give_back({record.span_base, record.span, record.is_chunk});
  return Status::kOutOfMemory;
}

void dismiss(MemoryState& state, const Record& record) {
  if (state.is_forked) return;
  take_memory(state, record);
  state.unfill(record.filled);
  const std::lock_guard lock(state.mutex);
  if (record.owns_file) --state.own_files;
  state.freed.rest({record.span_base, record.span, record.is_chunk});
}

}  // namespace eclosion::emulator
