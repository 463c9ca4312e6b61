// core/host_guard: the host's accesses to memory that a copy works on are told
// and wait; others are let through.
#include "host_guard.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "accesses.h"
#include "gates.h"
#include "memory.h"
#include "reports.h"
#include "scheduler.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr std::size_t kPage = 4096;

struct Pinned {
  std::byte* base = nullptr;
  std::size_t size;
  explicit Pinned(std::size_t bytes) : size(bytes) {
    void* made = nullptr;
    REQUIRE(Memory::get().allocate(bytes, MemoryKind::kPinned, 0, 0,
                                   next_site(), &made) == Status::kSuccess);
    base = static_cast<std::byte*>(made);
    std::memset(base, 0, size);
  }
  ~Pinned() {
    synchronize_device(0);
    Memory::get().free(base, MemoryKind::kPinned, nullptr);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  std::byte* alias(std::size_t offset) const {
    return Memory::get().alias(base + offset);
  }
};

StreamRef stream_of() {
  return std::make_shared<Stream>(0, Stream::kNonBlocking, 0);
}

// A copy that fills its range with ones, by the emulator's view.
Work copy_in(const Pinned& to, std::size_t offset, std::size_t size) {
  std::byte* at = to.alias(offset);
  Work work{NodeKind::kCopy,
            {"copy to the host", next_site()},
            [at, size](Operation&) {
              std::memset(at, 1, size);
              return Status::kSuccess;
            },
            {},
            {}};
  work.ranges = {{to.base + offset, size, true}};
  return work;
}

Work copy_out(const Pinned& from, std::size_t offset, std::size_t size) {
  Work work{NodeKind::kCopy,
            {"copy to the device", next_site()},
            [](Operation&) { return Status::kSuccess; },
            {},
            {}};
  work.ranges = {{from.base + offset, size, false}};
  return work;
}

int read(const Pinned& memory, std::size_t offset) {
  return static_cast<int>(
      *static_cast<const volatile std::byte*>(memory.base + offset));
}

void write(const Pinned& memory, std::size_t offset) {
  *static_cast<volatile std::byte*>(memory.base + offset) = std::byte{7};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE(
    "what a copy writes is told when it is read before, and is then there") {
  const Pinned memory(3 * kPage);
  const StreamRef stream = stream_of();
  Gate gate;
  stream->put(gate.work());
  stream->put(copy_in(memory, 0, memory.size));
  std::thread opener([&] {
    while (new_findings().empty()) std::this_thread::yield();
    gate.open();
  });
  CHECK(read(memory, kPage + 5) == 1);
  opener.join();
  CHECK(read(memory, 2 * kPage) == 1);
  CHECK(stream->synchronize() == Status::kSuccess);
}

TEST_CASE("the finding names the copy, its byte and the host's access") {
  const Pinned memory(kPage);
  const StreamRef stream = stream_of();
  stream->put(copy_in(memory, 0, memory.size));
  CHECK(read(memory, 40) == 1);
  const std::string told = new_findings();
  CHECK(lines(told) == 1);
  CHECK(has(told, "EMU008"));
  CHECK(
      has(told,
          "the host reads byte 40 of pinned memory of 4096 bytes that copy to "
          "the host writes, and has not waited for it"));
  CHECK(has(told, "copy to the host was put into its stream here"));
  stream->synchronize();
}

TEST_CASE("the host may read what a copy reads, and not write it") {
  const Pinned memory(2 * kPage);
  const StreamRef stream = stream_of();
  stream->put(copy_out(memory, 0, memory.size));
  CHECK(read(memory, 3) == 0);
  CHECK(new_findings().empty());
  write(memory, 3);
  CHECK(has(new_findings(), "the host writes byte 3"));
  CHECK(read(memory, 3) == 7);
  stream->synchronize();
}

TEST_CASE("memory is open again once the host has seen the copy done") {
  const Pinned memory(2 * kPage);
  const StreamRef stream = stream_of();
  const auto event = std::make_shared<Event>(0, 0);
  stream->put(copy_in(memory, 0, memory.size));
  SUBCASE("stream") { stream->synchronize(); }
  SUBCASE("device") { synchronize_device(0); }
  SUBCASE("query") {
    while (stream->query() != Status::kSuccess) std::this_thread::yield();
  }
  SUBCASE("event") {
    event->record(*stream);
    event->synchronize();
  }
  SUBCASE("another stream that has waited for it") {
    const StreamRef other = stream_of();
    event->record(*stream);
    other->wait(event);
    other->synchronize();
  }
  CHECK(read(memory, 9) == 1);
  write(memory, 9);
  CHECK(new_findings().empty());
}

TEST_CASE("a copy that is done and was not waited for is a race all the same") {
  const Pinned memory(kPage);
  const StreamRef stream = stream_of();
  std::atomic<bool> is_over{false};
  Work work = copy_in(memory, 0, kPage);
  stream->put(std::move(work));
  stream->put({NodeKind::kKernel,
               {"kernel"},
               [&](Operation&) {
                 is_over = true;
                 return Status::kSuccess;
               },
               {},
               {}});
  while (!is_over) std::this_thread::yield();
  CHECK(read(memory, 0) == 1);
  CHECK(lines(new_findings()) == 1);
  stream->synchronize();
}

TEST_CASE("bytes beside the copy's are the host's") {
  const Pinned memory(4 * kPage);
  const StreamRef stream = stream_of();
  Gate gate;
  stream->put(gate.work());
  SUBCASE("of its page") {
    stream->put(copy_in(memory, 8, 4));
    CHECK(read(memory, 12) == 0);
    write(memory, 7);
  }
  SUBCASE("of other pages") {
    stream->put(copy_in(memory, 100, 2 * kPage));
    CHECK(read(memory, 0) == 0);
    write(memory, 3 * kPage);
  }
  CHECK(new_findings().empty());
  gate.open();
  stream->synchronize();
}

TEST_CASE("pages stay closed for the copies that are left") {
  const Pinned memory(kPage);
  const StreamRef first = stream_of();
  const StreamRef second = stream_of();
  second->put(copy_in(memory, 0, kPage / 2));
  first->put(copy_out(memory, kPage / 2, kPage / 2));
  first->synchronize();
  CHECK(read(memory, 0) == 1);
  CHECK(lines(new_findings()) == 1);
  second->synchronize();
}

TEST_CASE("a kernel may use closed memory") {
  const Pinned memory(kPage);
  const StreamRef stream = stream_of();
  stream->put(copy_in(memory, 0, kPage));
  int seen = 0;
  stream->put({NodeKind::kKernel,
               {"kernel"},
               [&](Operation&) {
                 seen = read(memory, 5);
                 return Status::kSuccess;
               },
               {},
               {}});
  CHECK(stream->synchronize() == Status::kSuccess);
  CHECK(seen == 1);
  CHECK(new_findings().empty());
}

TEST_CASE("a function of the program may use what a later copy works on") {
  const Pinned memory(kPage);
  const StreamRef stream = stream_of();
  Gate gate;
  int seen = -1;
  stream->put(gate.work());
  stream->put_host(
      {"function"}, [&](Status) { seen = read(memory, 5); }, false);
  stream->put(copy_in(memory, 0, kPage));
  gate.open();
  CHECK(stream->synchronize() == Status::kSuccess);
  CHECK(seen == 0);
  CHECK(read(memory, 5) == 1);
  CHECK(new_findings().empty());
}

TEST_CASE("freed memory is open for the next allocation") {
  const StreamRef stream = stream_of();
  std::byte* where = nullptr;
  Gate gate;
  stream->put(gate.work());
  void* made = nullptr;
  REQUIRE(Memory::get().allocate(kPage, MemoryKind::kPinned, 0, 0, next_site(),
                                 &made) == Status::kSuccess);
  where = static_cast<std::byte*>(made);
  Work work{NodeKind::kCopy,
            {"copy", next_site()},
            [](Operation&) { return Status::kSuccess; },
            {},
            {}};
  work.ranges = {{where, kPage, true}};
  stream->put(std::move(work));
  CHECK(Memory::get().free(where, MemoryKind::kPinned, nullptr) ==
        Status::kSuccess);
  gate.open();
  stream->synchronize();
  const Pinned next(kPage);
  write(next, 0);
  CHECK(read(next, 0) == 7);
  CHECK(new_findings().empty());
}

TEST_CASE("memory that is forgotten is open") {
  const Pinned memory(2 * kPage);
  const StreamRef stream = stream_of();
  Gate gate;
  stream->put(gate.work());
  stream->put(copy_in(memory, 0, memory.size));
  forget_accesses(memory.base, memory.size);
  CHECK(read(memory, 1) == 0);
  CHECK(new_findings().empty());
  gate.open();
  stream->synchronize();
}
