// core/host_faults: faults that are none of closed pages go to whoever handled
// them before, and a forked child is not held up.
#include "host_faults.h"

#include <doctest/doctest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gates.h"
#include "memory.h"
#include "reports.h"
#include "scheduler.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr std::size_t kPage = 4096;
sigjmp_buf before_fault;
int handled = 0;

void jump_back(int) {
  ++handled;
  siglongjmp(before_fault, 1);
}

// The program's own handler, in place of whatever is there.
void handle_plainly() {
  struct sigaction action{};
  action.sa_handler = jump_back;
  action.sa_flags = SA_NODEFER;
  REQUIRE(sigaction(SIGSEGV, &action, nullptr) == 0);
}

bool faults_at(volatile char* address) {
  if (sigsetjmp(before_fault, 1) != 0) return true;
  *address = 1;
  return false;
}

std::byte* pinned(std::size_t size) {
  void* made = nullptr;
  REQUIRE(Memory::get().allocate(size, MemoryKind::kPinned, 0, 0, next_site(),
                                 &made) == Status::kSuccess);
  return static_cast<std::byte*>(made);
}

Work closing(std::byte* base) {
  Work work{NodeKind::kCopy,
            {"copy to the host", next_site()},
            [](Operation&) { return Status::kSuccess; },
            {},
            {}};
  work.ranges = {{base, kPage, true}};
  return work;
}

struct sigaction ours{};

void call_ours(int signal, siginfo_t* information, void* context) {
  ours.sa_sigaction(signal, information, context);
}

}  // namespace

TEST_CASE("a fault elsewhere is the program's") {
  handle_plainly();
  watch_host_faults();
  void* closed =
      mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(closed != MAP_FAILED);
  handled = 0;
  CHECK(faults_at(static_cast<char*>(closed)));
  CHECK(faults_at(nullptr));
  CHECK(handled == 2);
  munmap(closed, kPage);
}

TEST_CASE("a fault in the arena that closes nothing is the program's") {
  handle_plainly();
  watch_host_faults();
  const Memory& memory = Memory::get();
  auto* last =
      reinterpret_cast<char*>(memory.arena() + memory.arena_size() - 1);
  handled = 0;
  CHECK(faults_at(last));
  CHECK(handled == 1);
}

TEST_CASE("a handler that came later comes after ours") {
  std::byte* base = pinned(kPage);
  const auto stream = std::make_shared<Stream>(0, Stream::kNonBlocking, 0);
  stream->put(closing(base));
  handle_plainly();
  stream->put(closing(base));
  handled = 0;
  CHECK_FALSE(faults_at(reinterpret_cast<char*>(base)));
  CHECK(handled == 0);
  CHECK(new_findings().find("EMU008") != std::string::npos);
  stream->synchronize();
  Memory::get().free(base, MemoryKind::kPinned, nullptr);
}

TEST_CASE("a handler that calls ours in turn does not go on for ever") {
  watch_host_faults();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    struct sigaction chained{};
    chained.sa_sigaction = call_ours;
    chained.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &chained, &ours);
    watch_host_faults();
    *static_cast<volatile char*>(nullptr) = 1;
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
}

TEST_CASE("a forked child goes on where pages were closed") {
  std::byte* base = pinned(kPage);
  const auto stream = std::make_shared<Stream>(0, Stream::kNonBlocking, 0);
  Gate gate;
  stream->put(gate.work());
  stream->put(closing(base));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    *reinterpret_cast<volatile char*>(base) = 1;
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  gate.open();
  stream->synchronize();
  Memory::get().free(base, MemoryKind::kPinned, nullptr);
}
