// What compiled device code calls: before each load and store, and for each
// variable that a block has for itself.
//
// The names are those of clang's -fsanitize=thread and -femulated-tls, whose
// code calls them; neither runtime of LLVM is linked. What is called
// __emutls_get_address there gets another name when a sidecar is made, since
// the compiler's support library has that one too.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "access_check.h"
#include "access_fast_path.h"
#include "alignment_check.h"
#include "block.h"
#include "findings.h"
#include "stack_overflow.h"

using eclosion::emulator::Access;
using eclosion::emulator::AccessKind;
using eclosion::emulator::check_access;
using eclosion::emulator::current;
using eclosion::emulator::is_usual;
using eclosion::emulator::refuse_misaligned;

namespace {

constexpr unsigned kPolls = 512;

inline std::uintptr_t number(const volatile void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// Out of line, so that the fast path needs no room on the stack. `kAlignment`:
// what the access's type asks for at least.
template <unsigned kSize, unsigned kAlignment, AccessKind kKind>
[[gnu::noinline]] void look_at(std::uintptr_t address, const void* site) {
  const Access access{address, kSize, kKind != AccessKind::kRead,
                      kKind == AccessKind::kAtomic, site};
  if (address % kAlignment != 0) refuse_misaligned(access, kAlignment);
  check_access(access);
}

// The fast path has nothing that is misaligned.
template <unsigned kSize, unsigned kAlignment, AccessKind kKind>
[[gnu::always_inline]] inline void check(void* at, const void* site) {
  if (!is_usual<kSize, kKind>(number(at))) {
    look_at<kSize, kAlignment, kKind>(number(at), site);
  }
}

void check_range(const void* address, std::size_t size, bool is_write,
                 const void* site) {
  constexpr std::size_t kStep = 128;
  const std::uintptr_t from = number(address);
  for (std::size_t done = 0; done < size; done += kStep) {
    const std::size_t left = size - done < kStep ? size - done : kStep;
    check_access(
        {from + done, static_cast<unsigned>(left), is_write, false, site});
  }
}

}  // namespace

namespace eclosion::emulator {

// A lane that reads one place again and again may wait for another that has not
// had its turn.
void count_poll() {
  if (current.lane != nullptr && ++current.lane->polls >= kPolls) {
    current.block->pause();
  }
}

}  // namespace eclosion::emulator

#define ECLOSION_CHECK(prefix, size, alignment)                              \
  void __tsan_##prefix##read##size(void* at) {                               \
    check<size, alignment, AccessKind::kRead>(at,                            \
                                              __builtin_return_address(0));  \
  }                                                                          \
  void __tsan_##prefix##write##size(void* at) {                              \
    check<size, alignment, AccessKind::kWrite>(at,                           \
                                               __builtin_return_address(0)); \
  }
#define ECLOSION_CHECK_VOLATILE(prefix, size, alignment)                     \
  void __tsan_##prefix##read##size(void* at) {                               \
    eclosion::emulator::count_poll();                                        \
    check<size, alignment, AccessKind::kRead>(at,                            \
                                              __builtin_return_address(0));  \
  }                                                                          \
  void __tsan_##prefix##write##size(void* at) {                              \
    check<size, alignment, AccessKind::kWrite>(at,                           \
                                               __builtin_return_address(0)); \
  }

extern "C" {

ECLOSION_CHECK(, 1, 1)
ECLOSION_CHECK(, 2, 2)
ECLOSION_CHECK(, 4, 4)
ECLOSION_CHECK(, 8, 8)
ECLOSION_CHECK(, 16, 8)
ECLOSION_CHECK(unaligned_, 2, 1)
ECLOSION_CHECK(unaligned_, 4, 1)
ECLOSION_CHECK(unaligned_, 8, 1)
ECLOSION_CHECK(unaligned_, 16, 1)
ECLOSION_CHECK_VOLATILE(volatile_, 1, 1)
ECLOSION_CHECK_VOLATILE(volatile_, 2, 2)
ECLOSION_CHECK_VOLATILE(volatile_, 4, 4)
ECLOSION_CHECK_VOLATILE(volatile_, 8, 8)
ECLOSION_CHECK_VOLATILE(volatile_, 16, 8)
ECLOSION_CHECK_VOLATILE(unaligned_volatile_, 2, 1)
ECLOSION_CHECK_VOLATILE(unaligned_volatile_, 4, 1)
ECLOSION_CHECK_VOLATILE(unaligned_volatile_, 8, 1)
ECLOSION_CHECK_VOLATILE(unaligned_volatile_, 16, 1)

void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  const void* site = __builtin_return_address(0);
  check_range(from, size, false, site);
  check_range(to, size, true, site);
  return std::memcpy(to, from, size);
}

void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  const void* site = __builtin_return_address(0);
  check_range(from, size, false, site);
  check_range(to, size, true, site);
  return std::memmove(to, from, size);
}

void* __tsan_memset(void* to, int value, std::size_t size) {
  check_range(to, size, true, __builtin_return_address(0));
  return std::memset(to, value, size);
}

void __tsan_vptr_update(void** at, void*) {
  check_access({number(at), 8, true, false, __builtin_return_address(0)});
}

void __tsan_vptr_read(void** at) {
  check_access({number(at), 8, false, false, __builtin_return_address(0)});
}

void __tsan_init(void) {}

void* eclosion_shared_address(void* control) {
  eclosion::emulator::need_stack();
  using eclosion::emulator::SharedVariable;
  void* place =
      current.block->shared().place(*static_cast<SharedVariable*>(control));
  if (place == nullptr) {
    current.block->stop(eclosion::emulator::Status::kTooManyResources);
  }
  return place;
}

}  // extern "C"
