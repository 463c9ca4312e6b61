// One range of addresses that all memory of the emulated devices lies in.
#include "arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "memory_file.h"
#include "shadow.h"

namespace eclosion::emulator {

namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr std::size_t kLeast = 4 * kGiB;
// Of the arena's start: large pages, and the granularity of virtual memory.
constexpr std::size_t kAlignment = std::size_t{2} << 20;
// Entries of the shadow that are cheaper to give back than to write.
constexpr std::size_t kManyEntryBytes = std::size_t{256} << 10;

void* map_nothing(std::size_t size, int protection) {
  void* const got = ::mmap(nullptr, size, protection,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

std::string limit_in_words(int resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "unlimited";
  }
  return std::to_string(limit.rlim_cur) + " bytes";
}

// The first size to try: a program whose address space is limited keeps half.
std::size_t most_to_reserve() {
  rlimit limit{};
  std::size_t size = kMostArenaBytes;
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return size;
  while (size > kLeast && size > limit.rlim_cur / 2) size /= 2;
  return size;
}

}  // namespace

bool Arena::reserve(std::size_t size) {
  void* const shadow = map_nothing(size / kGranule * sizeof(std::uint16_t),
                                   PROT_READ | PROT_WRITE);
  if (shadow == nullptr) return false;
  void* const range = map_nothing(size + kAlignment, PROT_NONE);
  if (range == nullptr) {
    ::munmap(shadow, size / kGranule * sizeof(std::uint16_t));
    return false;
  }
  base_ = align_up(reinterpret_cast<std::uintptr_t>(range), kAlignment);
  size_ = size;
  shadow_ = static_cast<std::uint16_t*>(shadow);
  return true;
}

Arena::Arena(std::uint64_t nonce) {
  std::size_t size = most_to_reserve();
  while (size >= kLeast && !reserve(size)) size /= 2;
  if (size_ == 0) {
    complaint_ = std::string("no 4 GiB of addresses could be reserved (") +
                 std::strerror(errno) +
                 "), so the emulated devices have no memory; the limit of the "
                 "address space is " +
                 limit_in_words(RLIMIT_AS) + ", raise it with 'ulimit -v'";
    return;
  }
  file_ = create_memory_file({FileUse::kArena, nonce, 0, -1}, size_);
  if (file_ >= 0) return;
  complaint_ = std::string("no file in memory could be made (") +
               std::strerror(errno) +
               "), so the emulated devices have no memory; the limit of a "
               "file's length is " +
               limit_in_words(RLIMIT_FSIZE) + " ('ulimit -f'), that of open " +
               "files has to leave one ('ulimit -n')";
  size_ = 0;
}

bool Arena::commit(std::uintptr_t at, std::size_t size, int file,
                   std::size_t offset) const {
  return ::mmap(reinterpret_cast<void*>(at), size, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file,
                static_cast<off_t>(offset)) != MAP_FAILED;
}

void Arena::decommit(std::uintptr_t at, std::size_t size) const {
  void* const pages = reinterpret_cast<void*>(at);
  void* const got =
      ::mmap(pages, size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  // With all mappings in use the old one stays, but nobody may touch it.
  if (got == MAP_FAILED) ::mprotect(pages, size, PROT_NONE);
}

void Arena::decommit_own(std::uintptr_t at, std::size_t size) const {
  decommit(at, size);
  ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(offset_of(at)), static_cast<off_t>(size));
}

void Arena::protect(std::uintptr_t at, std::size_t size, int protection) const {
  ::mprotect(reinterpret_cast<void*>(at), size, protection);
}

void Arena::allow(std::uintptr_t at, std::size_t size) const {
  shadow_allow(shadow_, offset_of(at), size);
}

void Arena::forbid(std::uintptr_t at, std::size_t size) const {
  const std::size_t entry_bytes = size / kGranule * sizeof(std::uint16_t);
  if (entry_bytes < kManyEntryBytes) {
    shadow_forbid(shadow_, offset_of(at), size);
    return;
  }
  const std::uintptr_t first =
      reinterpret_cast<std::uintptr_t>(shadow_ + offset_of(at) / kGranule);
  const std::uintptr_t end =
      first + align_up(size, kGranule) / kGranule * sizeof(std::uint16_t);
  const std::uintptr_t from = align_up(first, kPage);
  const std::uintptr_t to = align_down(end, kPage);
  std::memset(reinterpret_cast<void*>(first), 0, from - first);
  std::memset(reinterpret_cast<void*>(to), 0, end - to);
  ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

}  // namespace eclosion::emulator
