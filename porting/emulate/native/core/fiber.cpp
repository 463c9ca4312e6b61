// One mapping per worker; stacks get their guard when they are first used.
#include "fiber.h"

#include <sys/mman.h>

#include <new>

namespace eclosion::emulator {
namespace {

// Tops of stacks are spread over the sets of the caches, which equal offsets
// in pages would share.
constexpr std::size_t kColours = 15;
constexpr std::size_t kColourBytes = 4 * 64;

}  // namespace

Stacks::Stacks(unsigned most) : most_(most) {
  void* at = ::mmap(nullptr, size(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(at);
  give_back_all();
}

Stacks::~Stacks() { ::munmap(base_, size()); }

void Stacks::give_back_all() {
  if (free_.size() == most_) return;
  free_.clear();
  free_.reserve(most_);
  for (unsigned number = most_; number > 0; --number) {
    free_.push_back(number - 1);
  }
}

unsigned Stacks::take() {
  const unsigned number = free_.back();
  free_.pop_back();
  while (made_ <= number) {
    ::mprotect(base_ + made_ * kSize, kGuard, PROT_NONE);
    ++made_;
  }
  return number;
}

void* Stacks::prepare(unsigned number, void (*main)()) {
  const std::size_t colour = number % kColours * kColourBytes;
  auto* top = reinterpret_cast<void**>(
      base_ + (number + std::size_t{1}) * kSize - 64 - colour);
  // As after a call: the address of a return that never happens, then `main`
  // as the address the switch returns to, then six registers.
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(main);
  for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
  return top;
}

}  // namespace eclosion::emulator
