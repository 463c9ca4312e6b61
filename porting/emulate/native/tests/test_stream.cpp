// core/stream: order in a stream, between streams and the legacy one; what
// waiting gives; host functions.
#include "stream.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "gates.h"
#include "scheduler.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

StreamRef stream_of(int device = 0, unsigned flags = 0) {
  return std::make_shared<Stream>(device, flags, 0);
}

Work failing(Status status) {
  return {NodeKind::kKernel,
          {"fault"},
          [status](Operation&) { return status; },
          {},
          {}};
}

}  // namespace

TEST_CASE("work of one stream runs in the order in which it was put") {
  const StreamRef stream = stream_of();
  Journal journal;
  std::string expected;
  for (char name = 'a'; name <= 'z'; ++name) {
    expected += name;
    CHECK(stream->put(journal.work({name})) == Status::kSuccess);
  }
  CHECK(stream->synchronize() == Status::kSuccess);
  CHECK(journal.text() == expected);
}

TEST_CASE("work is not waited for until somebody asks") {
  const StreamRef stream = stream_of();
  Gate gate;
  CHECK(stream->query() == Status::kSuccess);
  CHECK(stream->put(gate.work()) == Status::kSuccess);
  CHECK(stream->query() == Status::kNotReady);
  gate.open();
  CHECK(stream->synchronize() == Status::kSuccess);
  CHECK(stream->query() == Status::kSuccess);
}

TEST_CASE("streams do not wait for each other") {
  const StreamRef slow = stream_of();
  const StreamRef fast = stream_of();
  Gate gate;
  Journal journal;
  slow->put(gate.work());
  fast->put(journal.work("fast"));
  CHECK(fast->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "fast");
  CHECK(slow->query() == Status::kNotReady);
  gate.open();
  slow->synchronize();
}

TEST_CASE("the legacy stream waits for blocking streams, and they for it") {
  const StreamRef blocking = stream_of();
  const StreamRef apart = stream_of(0, Stream::kNonBlocking);
  const StreamRef legacy = Stream::legacy(0);
  Gate before;
  Gate in_legacy;
  Journal journal;
  blocking->put(before.work());
  legacy->put(in_legacy.work());
  apart->put(journal.work("apart"));
  CHECK(apart->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "apart");
  blocking->put(journal.work("blocking"));
  CHECK_FALSE(in_legacy.has_arrived());
  before.open();
  in_legacy.await_arrival();
  CHECK(journal.text() == "apart");
  CHECK(blocking->query() == Status::kNotReady);
  in_legacy.open();
  CHECK(blocking->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "apartblocking");
}

TEST_CASE("the legacy stream is ready when all blocking streams are") {
  const StreamRef blocking = stream_of();
  Gate gate;
  blocking->put(gate.work());
  CHECK(Stream::legacy(0)->query() == Status::kNotReady);
  CHECK(Stream::legacy(1)->query() == Status::kSuccess);
  gate.open();
  CHECK(Stream::legacy(0)->synchronize() == Status::kSuccess);
  CHECK(blocking->query() == Status::kSuccess);
}

TEST_CASE(
    "a destroyed stream's work is still waited for by the legacy stream") {
  StreamRef stream = stream_of();
  Gate gate;
  Journal journal;
  stream->put(gate.work());
  stream.reset();
  Stream::legacy(0)->put(journal.work("legacy"));
  CHECK(journal.text().empty());
  gate.open();
  CHECK(synchronize_device(0) == Status::kSuccess);
  CHECK(journal.text() == "legacy");
}

TEST_CASE("each thread has a default stream of its own on each device") {
  const StreamRef mine = Stream::per_thread(0);
  CHECK(mine == Stream::per_thread(0));
  CHECK(mine != Stream::per_thread(1));
  StreamRef other;
  std::thread([&] { other = Stream::per_thread(0); }).join();
  CHECK(other != mine);
  CHECK(Stream::legacy(0) == Stream::legacy(0));
  CHECK(Stream::legacy(0) != mine);
}

TEST_CASE("a device is waited for with all its streams, and no other") {
  const StreamRef here = stream_of(0, Stream::kNonBlocking);
  const StreamRef there = stream_of(1);
  Gate gate;
  std::atomic<bool> is_done{false};
  there->put(gate.work());
  here->put({NodeKind::kKernel,
             {"work"},
             [&](Operation&) {
               is_done = true;
               return Status::kSuccess;
             },
             {},
             {}});
  CHECK(synchronize_device(0) == Status::kSuccess);
  CHECK(is_done);
  CHECK(there->query() == Status::kNotReady);
  gate.open();
  CHECK(synchronize_device(1) == Status::kSuccess);
}

TEST_CASE("a failure is what every call gives until the device is reset") {
  const StreamRef stream = stream_of(1);
  Journal journal;
  stream->put(failing(Status::kAssertFailed));
  stream->put(journal.work("later"));
  CHECK(stream->synchronize() == Status::kAssertFailed);
  CHECK(stream->synchronize() == Status::kAssertFailed);
  CHECK(stream->query() == Status::kAssertFailed);
  CHECK(stream->put(journal.work("refused")) == Status::kAssertFailed);
  CHECK(synchronize_device(1) == Status::kAssertFailed);
  CHECK(synchronize_device(0) == Status::kSuccess);
  CHECK(journal.text().empty());
  CHECK(reset_device(1) == Status::kSuccess);
  stream->put(journal.work("after"));
  CHECK(stream->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "after");
}

TEST_CASE("the first failure is kept") {
  fail_device(1, Status::kIllegalAddress);
  fail_device(1, Status::kLaunchTimeout);
  CHECK(device_failure(1) == Status::kIllegalAddress);
  CHECK(device_failure(0) == Status::kSuccess);
  CHECK(device_failure(kMostDevices) == Status::kInvalidDevice);
  reset_device(1);
}

TEST_CASE("host functions run in order, after a failure only when asked") {
  const StreamRef stream = stream_of(1);
  Gate gate;
  std::atomic<int> sound{0};
  std::atomic<Status> seen{Status::kSuccess};
  stream->put_host({"function"}, [&](Status) { ++sound; }, false);
  stream->put({NodeKind::kKernel,
               {"fault"},
               gate.body(Status::kIllegalAddress),
               {},
               {}});
  stream->put_host({"function"}, [&](Status) { ++sound; }, false);
  stream->put_host({"callback"}, [&](Status status) { seen = status; }, true);
  gate.open();
  CHECK(stream->synchronize() == Status::kIllegalAddress);
  CHECK(sound == 1);
  CHECK(seen == Status::kIllegalAddress);
  reset_device(1);
}

TEST_CASE("many threads put into one stream and into the legacy one") {
  constexpr int kThreads = 4;
  constexpr int kEach = 200;
  const StreamRef shared = stream_of();
  int plain = 0;  // only ever touched by work of `shared` and the legacy stream
  const auto count = [&](Operation&) {
    ++plain;
    return Status::kSuccess;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < kEach; ++k) {
        Stream& stream = (k + i) % 3 == 0 ? *Stream::legacy(0) : *shared;
        stream.put({NodeKind::kKernel, {"count"}, count, {}, {}});
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(synchronize_device(0) == Status::kSuccess);
  CHECK(plain == kThreads * kEach);
}

TEST_CASE("a stream of the parent is not initialised in a forked child") {
  const StreamRef stream = stream_of();
  stream->put({NodeKind::kKernel, {"work"}, {}, {}, {}});
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool is_told =
        stream->put({NodeKind::kKernel, {"work"}, {}, {}, {}}) ==
            Status::kNotInitialized &&
        stream->synchronize() == Status::kNotInitialized &&
        stream->query() == Status::kNotInitialized &&
        synchronize_device(0) == Status::kNotInitialized;
    _exit(is_told ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
