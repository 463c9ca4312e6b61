// core/scheduler: operations run after what they depend on, on threads that
// share kernels, keep to priorities and hurry for those who wait.
#include "scheduler.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>

#include "gates.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

OperationRef made(Operation::Body body, Operation::Traits traits = {}) {
  return std::make_shared<Operation>(0, Title{"work"}, std::move(body), traits,
                                     std::vector<AccessRange>{}, Ordering{});
}

OperationRef submitted(Operation::Body body,
                       const std::vector<OperationRef>& after = {},
                       Operation::Traits traits = {}) {
  const OperationRef operation = made(std::move(body), traits);
  Scheduler::get().submit(operation, after);
  return operation;
}

}  // namespace

TEST_CASE("an operation runs once all that it depends on is done") {
  Gate first;
  Gate second;
  Journal journal;
  const OperationRef a = submitted(first.body());
  const OperationRef b = submitted(second.body());
  const OperationRef both = submitted(journal.body("both"), {a, nullptr, b});
  first.open();
  Scheduler::get().wait(a);
  CHECK(a->is_done());
  CHECK_FALSE(both->is_done());
  CHECK(journal.text().empty());
  second.open();
  Scheduler::get().wait(both);
  CHECK(journal.text() == "both");
  CHECK(both->finished() >= b->finished());
}

TEST_CASE("what has nothing to run is done with what it depends on") {
  Gate gate;
  const OperationRef before = submitted(gate.body());
  const OperationRef mark = submitted({}, {before});
  const OperationRef after_mark = submitted({}, {mark});
  CHECK_FALSE(after_mark->is_done());
  gate.open();
  Scheduler::get().wait(after_mark);
  CHECK(mark->is_done());
  CHECK(submitted({}, {mark})->is_done());
}

TEST_CASE("four operations that wait for each other run at once") {
  std::atomic<int> here{0};
  std::vector<OperationRef> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(submitted([&](Operation&) {
      ++here;
      while (here < 4) std::this_thread::yield();
      return Status::kSuccess;
    }));
  for (const OperationRef& one : all) Scheduler::get().wait(one);
  CHECK(here == 4);
}

TEST_CASE("functions of the program run while all workers are busy") {
  Gate gate;
  std::vector<OperationRef> busy;
  for (unsigned i = 0; i < Scheduler::get().worker_limit(); ++i)
    busy.push_back(submitted(gate.body()));
  std::atomic<bool> was_in_one{false};
  const OperationRef function = submitted(
      [&](Operation&) {
        was_in_one = is_in_host_function();
        return Status::kSuccess;
      },
      {}, {Lane::kHost, 0, false});
  Scheduler::get().wait(function);
  CHECK(was_in_one);
  CHECK_FALSE(is_in_host_function());
  gate.open();
  for (const OperationRef& one : busy) Scheduler::get().wait(one);
}

TEST_CASE("of what is ready the lowest number runs first") {
  const unsigned threads = Scheduler::get().worker_limit() - 1;
  Gate first;
  Gate last;
  Journal journal;
  std::vector<OperationRef> busy;
  for (unsigned i = 0; i < threads; ++i)
    busy.push_back(submitted(first.body()));
  std::vector<OperationRef> all;
  for (int priority : {0, -1, 0, -2})
    all.push_back(submitted(journal.body(std::to_string(-priority)), {},
                            {Lane::kWorker, priority, false}));
  // These hold all threads but one, which so takes one after the other.
  for (unsigned i = 0; i + 1 < threads; ++i)
    busy.push_back(submitted(last.body(), {}, {Lane::kWorker, -9, false}));
  first.open();
  for (const OperationRef& one : all) Scheduler::get().wait(one);
  CHECK(journal.text() == "2100");
  last.open();
  for (const OperationRef& one : busy) Scheduler::get().wait(one);
}

TEST_CASE("what is watched runs again until it is ready, and holds no worker") {
  std::atomic<bool> is_set{false};
  std::atomic<int> looks{0};
  std::vector<OperationRef> watched;
  for (unsigned i = 0; i < 2 * Scheduler::get().worker_limit(); ++i)
    watched.push_back(submitted(
        [&](Operation&) {
          ++looks;
          return is_set ? Status::kSuccess : Status::kNotReady;
        },
        {}, {Lane::kWatch, 0, false}));
  Scheduler::get().wait(submitted([&](Operation&) {
    while (looks < 100) std::this_thread::yield();
    is_set = true;
    return Status::kSuccess;
  }));
  for (const OperationRef& one : watched) {
    Scheduler::get().wait(one);
    CHECK(one->status() == Status::kSuccess);
  }
}

TEST_CASE("parts of a kernel run on several workers, each with its number") {
  std::mutex lock;
  std::set<unsigned> workers;
  std::atomic<int> left{2};
  const auto part = [&](unsigned worker) {
    {
      const std::scoped_lock guard(lock);
      CHECK(workers.insert(worker).second);
    }
    --left;
    while (left > 0) std::this_thread::yield();
  };
  Scheduler::get().wait(submitted([&](Operation&) {
    Scheduler::get().share(2, part);
    return Status::kSuccess;
  }));
  CHECK(workers.size() == 2);
  for (const unsigned worker : workers)
    CHECK(worker < Scheduler::get().worker_limit());
}

TEST_CASE("a part that one thread does is not shared") {
  int parts = 0;
  Scheduler::get().share(1, [&](unsigned worker) {
    ++parts;
    CHECK(worker < Scheduler::get().worker_limit());
  });
  CHECK(parts == 1);
}

TEST_CASE("a failure makes the device unusable and later work is not run") {
  Journal journal;
  const OperationRef fault =
      submitted([](Operation&) { return Status::kIllegalAddress; });
  const OperationRef later = submitted(journal.body("later"), {fault});
  const OperationRef anyway =
      submitted(journal.body("anyway"), {later}, {Lane::kHost, 0, true});
  Scheduler::get().wait(anyway);
  CHECK(device_failure(0) == Status::kIllegalAddress);
  CHECK(fault->status() == Status::kIllegalAddress);
  CHECK(later->status() == Status::kIllegalAddress);
  CHECK(journal.text() == "anyway");
  CHECK(reset_device(0) == Status::kSuccess);
  Scheduler::get().wait(submitted(journal.body(" again")));
  CHECK(journal.text() == "anyway again");
}

TEST_CASE("a body is gone when its operation is done") {
  const auto held = std::make_shared<int>(1);
  const OperationRef operation =
      submitted([held](Operation&) { return Status::kSuccess; });
  Scheduler::get().wait(operation);
  CHECK(held.use_count() == 1);
}

TEST_CASE("a forked child is told that it is one, and does not wait") {
  Scheduler::get().wait(submitted([](Operation&) { return Status::kSuccess; }));
  CHECK_FALSE(is_forked_child());
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const OperationRef never =
        submitted([](Operation&) { return Status::kSuccess; });
    Scheduler::get().wait(never);
    _exit(is_forked_child() && !never->is_done() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("what an operation throws is its status, and the others go on") {
  Journal journal;
  const OperationRef without =
      submitted([](Operation&) -> Status { throw std::bad_alloc(); }, {}, {});
  Scheduler::get().wait(without);
  CHECK(without->status() == Status::kOutOfMemory);
  CHECK(device_failure(0) == Status::kOutOfMemory);
  CHECK(reset_device(0) == Status::kSuccess);
  const OperationRef thrown = submitted(
      [](Operation&) -> Status { throw std::runtime_error("a reason"); });
  Scheduler::get().wait(thrown);
  CHECK(thrown->status() == Status::kUnknown);
  CHECK(reset_device(0) == Status::kSuccess);
  Scheduler::get().wait(submitted(journal.body("next")));
  CHECK(journal.text() == "next");
}
