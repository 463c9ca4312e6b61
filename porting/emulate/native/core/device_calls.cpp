// The functions of device_abi.h.
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "access_check.h"
#include "access_fast_path.h"
#include "alignment_check.h"
#include "block.h"
#include "findings.h"
#include "memory.h"
#include "program.h"
#include "stack_overflow.h"
#include "wave_findings.h"

namespace eclosion::emulator {
void count_poll();
}  // namespace eclosion::emulator

using namespace eclosion::emulator;  // NOLINT: this file is their C face

namespace {

// Arguments that a format takes: %% takes none, a star takes one more.
int conversions_of(const char* format) {
  int count = 0;
  for (; *format != '\0'; ++format) {
    if (*format != '%') continue;
    if (format[1] == '%') {
      ++format;
      continue;
    }
    ++count;
    while (format[1] != '\0' && std::strchr("-+ #0123456789.*", format[1])) {
      if (*++format == '*') ++count;
    }
  }
  return count;
}

Finding here(Kind kind, const void* site) {
  Finding finding{
      kind, "", current.block->grid().request().kernel->name, {}, {}};
  finding.at = {site, describe(*current.lane)};
  return finding;
}

}  // namespace

extern "C" {

const eclosion_lane* eclosion_lane_now(void) { return current.lane; }

int eclosion_block_barrier(int vote, int predicate) {
  return current.block->wait_at_barrier(vote, predicate,
                                        __builtin_return_address(0));
}

void eclosion_grid_barrier(void) {
  need_stack();
  const void* site = __builtin_return_address(0);
  Block& block = *current.block;
  if (!block.grid().request().cooperative) {
    Finding finding = here(Kind::kDivergentBarrier, site);
    finding.text =
        "a barrier of the whole grid in a kernel that was not launched "
        "cooperatively";
    tell(finding);
    block.stop(Status::kLaunchFailure);
  }
  block.wait_for_grid(site);
}

int eclosion_grid_is_cooperative(void) {
  return current.block->grid().request().cooperative ? 1 : 0;
}

unsigned long long eclosion_wave_shuffle(int kind, unsigned long long value,
                                         int argument, int width,
                                         unsigned long long mask) {
  return current.block->wait_for_wave(
      {WaveCall::Kind::kShuffle, kind, argument, width, value, mask,
       __builtin_return_address(0),
       reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))});
}

unsigned long long eclosion_wave_vote(int kind, unsigned long long value,
                                      unsigned long long mask) {
  return current.block->wait_for_wave(
      {WaveCall::Kind::kVote, kind, 0, 0, value, mask,
       __builtin_return_address(0),
       reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))});
}

void eclosion_check_atomic(const volatile void* address, unsigned size) {
  count_poll();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (size == 4 && is_usual<4, AccessKind::kAtomic>(at)) return;
  if (size == 8 && is_usual<8, AccessKind::kAtomic>(at)) return;
  const Access access{at, size, true, true, __builtin_return_address(0)};
  if (at % size != 0) refuse_misaligned(access, size);
  check_access(access);
}

void eclosion_pause(void) { current.block->pause(); }

int eclosion_printf(const char* format, ...) {
  need_stack();
  va_list arguments;
  va_start(arguments, format);
  const int written = std::vprintf(format, arguments);
  va_end(arguments);
  return written;
}

int eclosion_printf_arguments(const char* format, ...) {
  need_stack();
  if (format == nullptr) return -1;
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  return conversions_of(format);
}

void eclosion_assert_failed(const char* expression, const char* file,
                            unsigned line, const char* function) {
  need_stack();
  Finding finding = here(Kind::kAssertion, __builtin_return_address(0));
  finding.text = std::string(file) + ":" + std::to_string(line) + ": " +
                 function + ": `" + expression + "` does not hold";
  tell(finding);
  current.block->stop(Status::kAssertFailed);
}

void eclosion_trap(void) {
  need_stack();
  Finding finding = here(Kind::kTrap, __builtin_return_address(0));
  finding.text = "the kernel ended itself";
  tell(finding);
  current.block->stop(Status::kIllegalInstruction);
}

void* eclosion_device_malloc(unsigned long long size) {
  need_stack();
  void* address = nullptr;
  const Status status = Memory::get().allocate(
      size, MemoryKind::kHeap, current.block->grid().request().device, 0,
      __builtin_return_address(0), &address);
  return status == Status::kSuccess ? address : nullptr;
}

void eclosion_device_free(void* address) {
  need_stack();
  if (address == nullptr) return;
  const void* site = __builtin_return_address(0);
  if (Memory::get().free(address, MemoryKind::kHeap, site) ==
      Status::kSuccess) {
    return;
  }
  Finding finding = here(Kind::kBadFree, site);
  const auto found = Memory::get().find(address);
  if (found && found->kind != MemoryKind::kHeap) {
    finding.text = "free of what the host allocated";
    finding.also.push_back({found->site, "it was allocated here"});
  } else {
    finding.text = "free of what malloc did not give";
  }
  tell(finding);
  current.block->stop(Status::kLaunchFailure);
}

unsigned long long eclosion_clock(void) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

unsigned eclosion_dynamic_shared_size(void) {
  return static_cast<unsigned>(current.block->shared().dynamic_bytes());
}

int eclosion_address_space(const void* address) {
  need_stack();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at - current.shared < SharedSegment::kBytes) return 1;
  if (at - current.stacks < current.stacks_size) return 4;
  const Program::Reach reach = Program::get().reach(address);
  if (reach.is_variable) return reach.is_constant ? 3 : 2;
  return Memory::get().find(address) ? 2 : 0;
}

}  // extern "C"
