// The loader gives one library per file, so each device after the first gets a
// copy of the file in memory.
#include "sidecar.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace eclosion::emulator {
namespace {

// The path of a copy that lives in memory; empty when there is none.
std::string copy_of(const std::string& path) {
  const int from = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return "";
  const int to = ::memfd_create("eclosion-sidecar", MFD_CLOEXEC);
  struct stat info{};
  ::fstat(from, &info);
  off_t at = 0;
  while (to >= 0 && at < info.st_size) {
    if (::sendfile(to, from, &at,
                   static_cast<std::size_t>(info.st_size - at)) <= 0) {
      break;
    }
  }
  ::close(from);
  // The descriptor stays open: debuggers and the loader name the file by it.
  return to < 0 ? "" : "/proc/self/fd/" + std::to_string(to);
}

struct Extent {
  std::uintptr_t address;
  std::uintptr_t base;
  std::size_t size;
};

int find_extent(dl_phdr_info* info, std::size_t, void* data) {
  auto* wanted = static_cast<Extent*>(data);
  std::size_t end = 0;
  bool is_here = false;
  for (int number = 0; number < info->dlpi_phnum; ++number) {
    const ElfW(Phdr)& part = info->dlpi_phdr[number];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t from = info->dlpi_addr + part.p_vaddr;
    if (wanted->address - from < part.p_memsz) is_here = true;
    if (part.p_vaddr + part.p_memsz > end) end = part.p_vaddr + part.p_memsz;
  }
  if (!is_here) return 0;
  wanted->base = info->dlpi_addr;
  wanted->size = end;
  return 1;
}

}  // namespace

std::unique_ptr<Sidecar> Sidecar::load(const std::string& path, bool is_first) {
  const std::string file = is_first ? path : copy_of(path);
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "the sidecar %s cannot be loaded: %s\n", path.c_str(),
                 ::dlerror());
    return nullptr;
  }
  const auto* record =
      static_cast<const SidecarRecord*>(::dlsym(library, kSidecarSymbol));
  if (record == nullptr || record->abi != kSidecarAbi) {
    std::fprintf(stderr,
                 "%s is no sidecar of this emulator's (%s); build it with the "
                 "same `porting`\n",
                 path.c_str(),
                 record == nullptr ? "it has no table of kernels"
                                   : "its table is of another version");
    return nullptr;
  }
  auto made = std::make_unique<Sidecar>();
  made->path_ = path;
  made->record_ = record;
  Extent extent{reinterpret_cast<std::uintptr_t>(record), 0, 0};
  ::dl_iterate_phdr(find_extent, &extent);
  made->base_ = extent.base;
  made->size_ = extent.size;
  return made;
}

}  // namespace eclosion::emulator
