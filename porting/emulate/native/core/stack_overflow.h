// Threads of kernels that need more stack than they have.
//
// Below each stack lies a guard. The fault of an access to it ends the thread:
// the handler lets the thread go on at the top of its stack, which nobody needs
// any more, where it tells the finding and stops the kernel.
//
// STK-1 A thread that is ended by a fault holds no lock: what takes locks or
// memory on a thread's stack asks for room before, by need_stack().
#pragma once

#include <ucontext.h>

#include <cstdint>

#include "block.h"

namespace eclosion::emulator {

// Give the calling OS thread a stack for handlers of signals, unless it has
// one: on a stack that is used up none can run.
void make_handler_stack();

// Whether an access to `address` was to the guard of the calling lane's stack.
// `context` then goes on where the kernel is ended. For handlers of signals.
bool end_at_guard(std::uintptr_t address, ucontext_t& context) noexcept;

// End the kernel, as if the guard had been touched.
[[noreturn]] void end_without_stack(const void* site);

// What the emulator's own functions need of a lane's stack at most.
inline constexpr std::size_t kStackForCalls = std::size_t{48} << 10;

// Called first by what a lane calls, where it does more than look at an access.
inline void need_stack() {
  if (current.lane == nullptr) return;
  const auto here =
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t left =
      here - current.block->stacks().lowest(current.lane->stack);
  // On another stack the difference is large.
  if (left < kStackForCalls) [[unlikely]]
    end_without_stack(__builtin_return_address(0));
}

}  // namespace eclosion::emulator
