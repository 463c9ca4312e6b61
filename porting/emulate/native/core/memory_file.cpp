// Files in memory that allocations lie in.
#include "memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace eclosion::emulator {

namespace {

// A file that grows past RLIMIT_FSIZE ends the process with a signal.
bool is_too_long(std::size_t size) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

}  // namespace

int create_memory_file(const FileTitle& title, std::size_t size) {
  char name[96];
  std::snprintf(name, sizeof(name), "eclosion-%c-%016" PRIx64 "-%" PRIu64 "-%d",
                static_cast<char>(title.use), title.nonce, title.id,
                title.device);
  if (is_too_long(size)) {
    errno = EFBIG;
    return -1;
  }
  const int file = ::memfd_create(name, MFD_CLOEXEC);
  if (file < 0) return -1;
  if (::ftruncate(file, static_cast<off_t>(size)) != 0) {
    const int reason = errno;
    ::close(file);
    errno = reason;
    return -1;
  }
  return file;
}

std::optional<FileTitle> title_of(int file) {
  char path[32];
  std::snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  char name[160] = {};
  if (::readlink(path, name, sizeof(name) - 1) <= 0) return std::nullopt;
  FileTitle title;
  char use = 0;
  int end = 0;
  const int read =
      std::sscanf(name, "/memfd:eclosion-%c-%16" SCNx64 "-%" SCNu64 "-%d%n",
                  &use, &title.nonce, &title.id, &title.device, &end);
  if (read != 4 || std::strcmp(name + end, " (deleted)") != 0) {
    return std::nullopt;
  }
  title.use = static_cast<FileUse>(use);
  return title;
}

std::size_t size_of_file(int file) {
  struct stat facts{};
  if (::fstat(file, &facts) != 0 || facts.st_size < 0) return 0;
  return static_cast<std::size_t>(facts.st_size);
}

bool fill_fresh(int file, std::size_t size) {
  void* const view = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE, file, 0);
  if (view == MAP_FAILED) return false;
  std::memset(view, kFreshByte, size);
  ::munmap(view, size);
  return true;
}

}  // namespace eclosion::emulator
