// core/event: what a record captures, what waits for it, the time between two,
// and events of other processes.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <thread>

#include "gates.h"
#include "scheduler.h"
#include "shared_event.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

StreamRef stream_of(int device = 0, unsigned flags = Stream::kNonBlocking) {
  return std::make_shared<Stream>(device, flags, 0);
}

EventRef event_of(unsigned flags = 0, int device = 0) {
  return std::make_shared<Event>(device, flags);
}

constexpr unsigned kShared = Event::kInterprocess | Event::kDisableTiming;

}  // namespace

TEST_CASE("an event that was never recorded is ready and holds up nobody") {
  const EventRef event = event_of();
  const StreamRef stream = stream_of();
  CHECK(event->query() == Status::kSuccess);
  CHECK(event->synchronize() == Status::kSuccess);
  CHECK(stream->wait(event) == Status::kSuccess);
  CHECK(stream->query() == Status::kSuccess);
}

TEST_CASE("an event is ready when what was put before its record is done") {
  const StreamRef stream = stream_of();
  const EventRef event = event_of();
  Gate before;
  Gate after;
  stream->put(before.work());
  CHECK(event->record(*stream) == Status::kSuccess);
  stream->put(after.work());
  CHECK(event->query() == Status::kNotReady);
  before.open();
  CHECK(event->synchronize() == Status::kSuccess);
  CHECK(event->query() == Status::kSuccess);
  CHECK(stream->query() == Status::kNotReady);
  after.open();
  stream->synchronize();
}

TEST_CASE("a record replaces the one before, for those who come later") {
  const StreamRef first = stream_of();
  const StreamRef second = stream_of();
  const StreamRef waiting = stream_of();
  const EventRef event = event_of();
  Gate in_first;
  Gate in_second;
  Journal journal;
  first->put(in_first.work());
  event->record(*first);
  waiting->wait(event);
  waiting->put(journal.work("w"));
  second->put(in_second.work());
  event->record(*second);
  in_first.open();
  CHECK(waiting->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "w");
  CHECK(event->query() == Status::kNotReady);
  in_second.open();
  CHECK(event->synchronize() == Status::kSuccess);
}

TEST_CASE("a stream that waits for an event is not ready until it is") {
  const StreamRef recorded = stream_of(0);
  const StreamRef waiting = stream_of(1);
  const EventRef event = event_of();
  Gate gate;
  recorded->put(gate.work());
  event->record(*recorded);
  CHECK(waiting->wait(event) == Status::kSuccess);
  CHECK(waiting->query() == Status::kNotReady);
  gate.open();
  CHECK(waiting->synchronize() == Status::kSuccess);
  CHECK(event->query() == Status::kSuccess);
}

TEST_CASE("a shared event is recorded although its device has failed") {
  const StreamRef stream = stream_of();
  const EventRef event = event_of(kShared);
  unsigned char handle[64];
  REQUIRE(event->export_handle(handle) == Status::kSuccess);
  Gate gate;
  stream->put({NodeKind::kKernel,
               {"gate"},
               gate.body(Status::kIllegalAddress),
               {},
               {}});
  CHECK(event->record(*stream) == Status::kSuccess);
  gate.open();
  CHECK(stream->synchronize() == Status::kIllegalAddress);
  // Another process would wait for it without an end.
  CHECK(event->query() == Status::kIllegalAddress);
  CHECK(reset_device(0) == Status::kSuccess);
}

TEST_CASE("records of a shared event by several threads have numbers each") {
  const std::shared_ptr<SharedEvent> event = SharedEvent::make();
  REQUIRE(event);
  constexpr int kEach = 20000;
  const auto record = [&] {
    for (int i = 0; i < kEach; ++i) event->finish_record(event->begin_record());
  };
  std::thread other(record);
  record();
  other.join();
  CHECK(event->last_record() == 2 * kEach);
  CHECK(event->state_of(2 * kEach) == Status::kSuccess);
}

TEST_CASE("an event of another device than the stream is refused") {
  CHECK(event_of(0, 1)->record(*stream_of(0)) == Status::kInvalidHandle);
}

TEST_CASE("an event recorded in the legacy stream waits for blocking streams") {
  const StreamRef blocking = stream_of(0, 0);
  const EventRef event = event_of();
  Gate gate;
  blocking->put(gate.work());
  event->record(*Stream::legacy(0));
  CHECK(event->query() == Status::kNotReady);
  gate.open();
  CHECK(event->synchronize() == Status::kSuccess);
}

TEST_CASE("the time between two events is that between what they recorded") {
  const StreamRef stream = stream_of();
  const EventRef begin = event_of();
  const EventRef end = event_of();
  float passed = -1;
  CHECK(end->elapsed_since(*begin, &passed) == Status::kInvalidHandle);
  begin->record(*stream);
  CHECK(end->elapsed_since(*begin, &passed) == Status::kInvalidHandle);
  Gate gate;
  stream->put(gate.work());
  end->record(*stream);
  CHECK(end->elapsed_since(*begin, &passed) == Status::kNotReady);
  const auto from = Operation::Clock::now();
  while (Operation::Clock::now() - from < std::chrono::milliseconds(2)) {
  }
  gate.open();
  CHECK(end->synchronize() == Status::kSuccess);
  CHECK(end->elapsed_since(*begin, &passed) == Status::kSuccess);
  CHECK(passed >= 2.0F);
  CHECK(passed < 20000.0F);
  const double halves = passed * 2000.0;  // of a microsecond
  CHECK(std::abs(halves - std::round(halves)) < 0.1);
  float back = 0;
  CHECK(begin->elapsed_since(*end, &back) == Status::kSuccess);
  CHECK(back == -passed);
}

TEST_CASE("an event without timing has no time") {
  const StreamRef stream = stream_of();
  const EventRef timed = event_of();
  const EventRef untimed = event_of(Event::kDisableTiming);
  timed->record(*stream);
  untimed->record(*stream);
  float passed = 0;
  CHECK(untimed->elapsed_since(*timed, &passed) == Status::kInvalidHandle);
  CHECK(timed->elapsed_since(*untimed, &passed) == Status::kInvalidHandle);
}

TEST_CASE("only interprocess events without timing are exported") {
  unsigned char handle[64];
  CHECK(event_of()->export_handle(handle) == Status::kInvalidHandle);
  CHECK(event_of(Event::kInterprocess)->export_handle(handle) ==
        Status::kInvalidHandle);
  const EventRef event = event_of(kShared);
  CHECK(event->export_handle(handle) == Status::kSuccess);
  EventRef imported;
  CHECK(Event::import_handle(handle, 0, &imported) == Status::kInvalidContext);
  std::memset(handle, 0, sizeof handle);
  CHECK(Event::import_handle(handle, 0, &imported) == Status::kInvalidValue);
}

namespace {

// A process that was forked before devices were used in it would be one of its
// own; the tests' has used them, so the other side speaks to the page itself.
struct OtherSide {
  int sockets[2] = {-1, -1};
  pid_t process = -1;

  template <typename Work>
  explicit OtherSide(const Work& work) {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    process = fork();
    REQUIRE(process >= 0);
    if (process == 0) {
      close(sockets[0]);
      _exit(work(sockets[1]) ? 0 : 1);
    }
    close(sockets[1]);
  }
  ~OtherSide() { close(sockets[0]); }
  void say(const void* bytes, std::size_t size) const {
    REQUIRE(send(sockets[0], bytes, size, MSG_NOSIGNAL) ==
            static_cast<ssize_t>(size));
  }
  void hear(void* bytes, std::size_t size) const {
    REQUIRE(recv(sockets[0], bytes, size, MSG_WAITALL) ==
            static_cast<ssize_t>(size));
  }
  int end() const {
    int status = 0;
    REQUIRE(waitpid(process, &status, 0) == process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

}  // namespace

TEST_CASE("another process waits for an event that is recorded here") {
  const EventRef event = event_of(kShared);
  unsigned char handle[64];
  REQUIRE(event->export_handle(handle) == Status::kSuccess);
  const OtherSide other([&](int socket) {
    std::shared_ptr<SharedEvent> shared;
    char word = 0;
    if (recv(socket, &word, 1, 0) != 1) return false;
    if (SharedEvent::open(handle, &shared) != Status::kSuccess) return false;
    const std::uint64_t record = shared->last_record();
    if (shared->state_of(record) != Status::kNotReady) return false;
    if (send(socket, &word, 1, 0) != 1) return false;
    return shared->wait(record) == Status::kSuccess;
  });
  const StreamRef stream = stream_of();
  Gate gate;
  stream->put(gate.work());
  CHECK(event->record(*stream) == Status::kSuccess);
  char word = 'w';
  other.say(&word, 1);
  other.hear(&word, 1);
  CHECK(event->query() == Status::kNotReady);
  gate.open();
  CHECK(other.end() == 0);
  CHECK(event->query() == Status::kSuccess);
}

TEST_CASE("a record from before the export is seen by others") {
  const StreamRef stream = stream_of();
  const EventRef event = event_of(kShared);
  Gate gate;
  stream->put(gate.work());
  event->record(*stream);
  unsigned char handle[64];
  REQUIRE(event->export_handle(handle) == Status::kSuccess);
  const OtherSide other([&](int socket) {
    std::shared_ptr<SharedEvent> shared;
    if (SharedEvent::open(handle, &shared) != Status::kSuccess) return false;
    const std::uint64_t record = shared->last_record();
    const char word = shared->state_of(record) == Status::kNotReady ? 'n' : 'r';
    return send(socket, &word, 1, 0) == 1 &&
           shared->wait(record) == Status::kSuccess;
  });
  char word = 0;
  other.hear(&word, 1);
  CHECK(word == 'n');
  gate.open();
  CHECK(other.end() == 0);
}

TEST_CASE("a stream waits for what another process recorded") {
  const EventRef event = event_of(kShared);
  unsigned char handle[64];
  REQUIRE(event->export_handle(handle) == Status::kSuccess);
  const OtherSide other([&](int socket) {
    std::shared_ptr<SharedEvent> shared;
    char word = 'r';
    if (SharedEvent::open(handle, &shared) != Status::kSuccess) return false;
    const std::uint64_t record = shared->begin_record();
    if (send(socket, &word, 1, 0) != 1) return false;
    if (recv(socket, &word, 1, 0) != 1) return false;
    shared->finish_record(record);
    return true;
  });
  char word = 0;
  other.hear(&word, 1);
  const StreamRef stream = stream_of();
  Journal journal;
  CHECK(stream->wait(event) == Status::kSuccess);
  stream->put(journal.work("after"));
  CHECK(event->query() == Status::kNotReady);
  CHECK(stream->query() == Status::kNotReady);
  other.say(&word, 1);
  CHECK(stream->synchronize() == Status::kSuccess);
  CHECK(journal.text() == "after");
  CHECK(event->synchronize() == Status::kSuccess);
  CHECK(other.end() == 0);
}

TEST_CASE("the death of the process that recorded is noticed") {
  const EventRef event = event_of(kShared);
  unsigned char handle[64];
  REQUIRE(event->export_handle(handle) == Status::kSuccess);
  const OtherSide other([&](int socket) {
    std::shared_ptr<SharedEvent> shared;
    if (SharedEvent::open(handle, &shared) != Status::kSuccess) return false;
    shared->begin_record();
    const char word = 'r';
    return send(socket, &word, 1, 0) == 1;
  });
  char word = 0;
  other.hear(&word, 1);
  CHECK(event->synchronize() == Status::kUnknown);
  CHECK(other.end() == 0);
  CHECK(event->query() == Status::kUnknown);
  const StreamRef stream = stream_of();
  CHECK(stream->wait(event) == Status::kSuccess);
  CHECK(stream->synchronize() == Status::kUnknown);
  reset_device(0);
}

TEST_CASE("a handle of a process that is gone is refused") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    unsigned char handle[64];
    const auto shared = SharedEvent::make();
    if (!shared) _exit(1);
    shared->describe(handle);
    _exit(write(ends[1], handle, sizeof handle) == sizeof handle ? 0 : 1);
  }
  unsigned char handle[64];
  REQUIRE(read(ends[0], handle, sizeof handle) == sizeof handle);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  EventRef event;
  CHECK(Event::import_handle(handle, 0, &event) == Status::kMapFailed);
  CHECK(event == nullptr);
  close(ends[0]);
  close(ends[1]);
}
