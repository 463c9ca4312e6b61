// The handler of SIGSEGV hands a fault to a thread of its own and waits: what
// is said of a fault needs locks and memory, which a handler must not use.
#include "host_faults.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>

#include "host_guard.h"
#include "memory.h"
#include "scheduler.h"
#include "stack_overflow.h"

namespace eclosion::emulator {

namespace {

// Of the error code of a page fault on x86-64: the access was a write.
constexpr std::uint64_t kWriteFault = 2;
constexpr std::uintptr_t kPageBytes = 4096;

// On the stack of the handler that waits for its answer.
struct Request {
  HostFault fault;
  bool is_settled = false;
  sem_t answered;
  Request* next = nullptr;
};

std::atomic<Request*> requests{nullptr};
sem_t wake;
struct sigaction previous;
std::uintptr_t arena = 0;
std::size_t arena_size = 0;
thread_local constinit std::uintptr_t last_unknown = 0;

void wait_for(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

void answer_for_ever() {
  for (;;) {
    wait_for(wake);
    Request* request = requests.exchange(nullptr, std::memory_order_acquire);
    while (request) {
      Request* const next = request->next;  // it is gone once it is answered
      request->is_settled = settle(request->fault);
      sem_post(&request->answered);
      request = next;
    }
  }
}

bool ask(const HostFault& fault) {
  Request request{fault, false, {}, nullptr};
  sem_init(&request.answered, 0, 0);
  request.next = requests.load(std::memory_order_relaxed);
  while (!requests.compare_exchange_weak(request.next, &request,
                                         std::memory_order_release)) {
  }
  sem_post(&wake);
  wait_for(request.answered);
  sem_destroy(&request.answered);
  return request.is_settled;
}

// The access is made again, and ends the process as it does without us.
void give_up(int signal) {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
}

// A handler that came after ours may call it in turn, for ever: a mark at the
// end of the information says that a fault has been here. Nothing else of it
// would do, since handlers may leave by longjmp; the kernel clears it for the
// next fault.
bool was_passed_on(siginfo_t& information) {
  constexpr std::size_t kEnd = sizeof(siginfo_t) - sizeof(std::uint64_t);
  constexpr std::uint64_t kMark = 0x45636c6f73696f6e;
  unsigned char* end = reinterpret_cast<unsigned char*>(&information) + kEnd;
  std::uint64_t mark = 0;
  std::memcpy(&mark, end, sizeof mark);
  std::memcpy(end, &kMark, sizeof kMark);
  return mark == kMark;
}

void pass_on(int signal, siginfo_t* information, void* context) {
  if (was_passed_on(*information)) return give_up(signal);
  if ((previous.sa_flags & SA_SIGINFO) != 0)
    return previous.sa_sigaction(signal, information, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  give_up(signal);
}

// Whether the access may be made again.
bool is_opened(const siginfo_t& information, const ucontext_t& context) {
  const auto address = reinterpret_cast<std::uintptr_t>(information.si_addr);
  if (information.si_code != SEGV_ACCERR || address - arena >= arena_size)
    return false;
  if (is_forked_child()) {
    // Nobody is here to ask, and nothing is copied in this process.
    const std::uintptr_t page = address & ~(kPageBytes - 1);
    return mprotect(reinterpret_cast<void*>(page), kPageBytes,
                    PROT_READ | PROT_WRITE) == 0;
  }
  const auto* registers = context.uc_mcontext.gregs;
  // Nothing is told of a kernel, whose stack is none that an unwinder knows.
  const HostFault fault{
      address,
      is_worker()
          ? HostFrames{}
          : frames_at(reinterpret_cast<const void*>(registers[REG_RIP])),
      (static_cast<std::uint64_t>(registers[REG_ERR]) & kWriteFault) != 0,
      is_worker()};
  if (ask(fault)) {
    last_unknown = 0;
    return true;
  }
  // Another thread may just have opened it. A second fault at the same place is
  // none of ours.
  if (last_unknown == address) return false;
  last_unknown = address;
  return true;
}

void handle(int signal, siginfo_t* information, void* context) {
  const int saved = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(information->si_addr);
  if (!end_at_guard(address, *static_cast<ucontext_t*>(context)) &&
      !is_opened(*information, *static_cast<ucontext_t*>(context)))
    pass_on(signal, information, context);
  errno = saved;
}

// A program may have put a handler of its own in our place: it comes after
// ours.
void take_signal() {
  static std::mutex lock;
  const std::scoped_lock guard(lock);
  struct sigaction now{};
  sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle) return;
  previous = now;
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace

void watch_host_faults() {
  static std::once_flag once;
  std::call_once(once, [] {
    arena = Memory::get().arena();
    arena_size = Memory::get().arena_size();
    sem_init(&wake, 0, 0);
    start_thread("emu-guard", answer_for_ever);
  });
  take_signal();
}

}  // namespace eclosion::emulator
