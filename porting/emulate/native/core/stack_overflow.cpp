// Where a thread was when its stack was used up is found on that stack: the
// address that a function of the emulator's returns to, if it was in one.
#include "stack_overflow.h"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "findings.h"
#include "places.h"
#include "program.h"
#include "wave_findings.h"

namespace eclosion::emulator {
namespace {

constexpr std::size_t kHandlerBytes = std::size_t{64} << 10;
// Frames of the emulator's own functions are no larger.
constexpr std::size_t kWordsToSearch = kStackForCalls / sizeof(std::uintptr_t);
// Of the flags: strings are gone through downwards. No function begins so.
constexpr greg_t kDirection = 1 << 10;

class HandlerStack {
 public:
  HandlerStack() {
    stack_t before{};
    if (::sigaltstack(nullptr, &before) != 0 ||
        (before.ss_flags & SS_DISABLE) == 0)
      return;
    void* at = ::mmap(nullptr, kHandlerBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    const stack_t own{at, 0, kHandlerBytes};
    if (::sigaltstack(&own, nullptr) == 0) at_ = at;
  }
  ~HandlerStack() {
    stack_t now{};
    if (at_ == nullptr || ::sigaltstack(nullptr, &now) != 0) return;
    if (now.ss_sp == at_) {
      now.ss_flags = SS_DISABLE;
      ::sigaltstack(&now, nullptr);
    }
    ::munmap(at_, kHandlerBytes);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  void* at_ = nullptr;
};

// Where the calling lane was: written by a handler.
struct Overflow {
  const void* site = nullptr;
  std::uintptr_t stack_pointer = 0;
};
thread_local constinit Overflow overflow;

bool is_device_code(const void* address) {
  std::string file;
  std::uint64_t offset = 0;
  return Program::get().locate(address, &file, &offset) &&
         !locate(address).file.empty();
}

const void* place_of(const Overflow& where, std::uintptr_t top) {
  if (is_device_code(where.site)) return where.site;
  const auto* word = reinterpret_cast<void* const*>(where.stack_pointer);
  const auto* end =
      std::min(word + kWordsToSearch, reinterpret_cast<void* const*>(top));
  const auto* found = std::find_if(word, end, is_device_code);
  return found == end ? where.site : *found;
}

// At the top of the stack that was used up.
[[noreturn]] void end_lane() {
  Block& block = *current.block;
  Finding finding{Kind::kStackOverflow,
                  "the thread needs more than its stack of " +
                      std::to_string(Stacks::kUsable) + " bytes",
                  block.grid().request().kernel->name,
                  {},
                  {}};
  finding.at = {place_of(overflow, block.stacks().top(current.lane->stack)),
                describe(*current.lane)};
  tell(finding);
  block.stop(Status::kStackOverflow);
}

// As a call leaves it: one word below a multiple of 16.
std::uintptr_t start_of(const Block& block, const GpuThread& lane) noexcept {
  return block.stacks().top(lane.stack) - 64 - sizeof(std::uintptr_t);
}

}  // namespace

void make_handler_stack() { static thread_local const HandlerStack own; }

bool end_at_guard(std::uintptr_t address, ucontext_t& context) noexcept {
  if (current.lane == nullptr) return false;
  const Stacks& stacks = current.block->stacks();
  const std::uintptr_t lowest = stacks.lowest(current.lane->stack);
  if (lowest - address - 1 >= Stacks::kGuard) return false;
  greg_t* registers = context.uc_mcontext.gregs;
  // Places are looked up for what calls return to, one byte further.
  overflow = {
      reinterpret_cast<const void*>(registers[REG_RIP] + 1),
      std::max(static_cast<std::uintptr_t>(registers[REG_RSP]), lowest)};
  registers[REG_RSP] =
      static_cast<greg_t>(start_of(*current.block, *current.lane));
  registers[REG_RIP] = reinterpret_cast<greg_t>(&end_lane);
  registers[REG_EFL] &= ~kDirection;
  return true;
}

void end_without_stack(const void* site) {
  overflow = {site,
              reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))};
  const std::uintptr_t start = start_of(*current.block, *current.lane);
  asm volatile("movq %0, %%rsp\n\tjmp *%1"
               :
               : "r"(start), "r"(&end_lane)
               : "memory");
  __builtin_unreachable();
}

}  // namespace eclosion::emulator
