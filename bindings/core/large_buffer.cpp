// Anonymous mappings.
#include "large_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace eclosion {
namespace {

constexpr std::uint64_t kHugePage = 2 << 20;

}  // namespace

void prefer_huge_pages(char* memory, std::uint64_t size) {
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint64_t first = (start + kHugePage - 1) / kHugePage * kHugePage;
  const std::uint64_t last = (start + size) / kHugePage * kHugePage;
  if (first < last)
    ::madvise(memory + (first - start), last - first, MADV_HUGEPAGE);
}

LargeBuffer::LargeBuffer(std::uint64_t size) : size_(size) {
  void* memory =
      ::mmap(nullptr, std::max<std::uint64_t>(size, 1), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  prefer_huge_pages(memory_, size);
}

LargeBuffer::~LargeBuffer() {
  ::munmap(memory_, std::max<std::uint64_t>(size_, 1));
}

}  // namespace eclosion
