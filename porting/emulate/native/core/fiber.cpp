// One mapping per worker; stacks get their guard when they are first used,
// which makes two mappings more of each.
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
}

Stacks::~Stacks() { ::munmap(base_, size()); }

bool Stacks::guard(unsigned number) {
  for (; guarded_ <= number; ++guarded_)
    if (::mprotect(base_ + guarded_ * kSize, kGuard, PROT_NONE) != 0)
      return false;
  return true;
}

std::uintptr_t Stacks::first_frame(int number) const noexcept {
  return top(number) - 64 -
         static_cast<unsigned>(number) % kColours * kColourBytes;
}

void* Stacks::prepare(unsigned number, void (*main)()) {
  auto* top = reinterpret_cast<void**>(first_frame(static_cast<int>(number)));
  // As after a call: the address of a return that never happens, then `main`
  // as the address the switch returns to, then six registers.
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(main);
  for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
  return top;
}

void FreeStacks::begin(unsigned count) {
  if (count == count_ && free_.size() == count) return;
  count_ = count;
  free_.clear();
  free_.reserve(count);
  for (unsigned number = count; number > 0; --number) {
    free_.push_back(number - 1);
  }
}

unsigned FreeStacks::take() {
  const unsigned number = free_.back();
  free_.pop_back();
  return number;
}

}  // namespace eclosion::emulator
