// core/accesses: races between operations are told, with both of them; what is
// ordered is silent.
#include "accesses.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "memory.h"
#include "reports.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

StreamRef stream_of(unsigned flags = Stream::kNonBlocking) {
  return std::make_shared<Stream>(0, flags, 0);
}

EventRef event_of() { return std::make_shared<Event>(0, 0); }

// Device memory that is freed when the test ends.
struct Buffer {
  std::byte* base = nullptr;
  std::size_t size;
  explicit Buffer(std::size_t bytes) : size(bytes) {
    void* made = nullptr;
    REQUIRE(Memory::get().allocate(bytes, MemoryKind::kDevice, 0, 0,
                                   next_site(), &made) == Status::kSuccess);
    base = static_cast<std::byte*>(made);
  }
  ~Buffer() {
    synchronize_device(0);
    Memory::get().free(base, MemoryKind::kDevice, nullptr);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
};

Work copy(const std::string& name, const void* base, std::size_t size,
          bool is_written) {
  Work work{NodeKind::kCopy,
            {name, next_site()},
            [](Operation&) { return Status::kSuccess; },
            {},
            {}};
  work.ranges = {{base, size, is_written}};
  return work;
}

// A kernel that touches `size` bytes by accesses of `step`.
Work kernel(const std::string& name, const std::byte* base, std::size_t size,
            bool is_write, unsigned step = 4, bool is_atomic = false) {
  return {NodeKind::kKernel,
          {name, next_site()},
          [=](Operation& by) {
            for (std::size_t i = 0; i < size; i += step)
              note_access(by, reinterpret_cast<std::uintptr_t>(base + i), step,
                          is_write, is_atomic);
            return Status::kSuccess;
          },
          {},
          {}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// Run both, the second once the first is over though nothing orders them.
void run_apart(Stream& first, Work a, Stream& second, Work b) {
  std::atomic<bool> is_over{false};
  a.body = [&is_over, body = a.body](Operation& by) {
    const Status status = body(by);
    is_over = true;
    return status;
  };
  first.put(std::move(a));
  while (!is_over) std::this_thread::yield();
  second.put(std::move(b));
  synchronize_device(0);
}

}  // namespace

TEST_CASE("a write and a read of two streams without order are a race") {
  const Buffer buffer(4 * kKiB);
  run_apart(*stream_of(), kernel("kernel produce", buffer.base, 512, true),
            *stream_of(), kernel("kernel consume", buffer.base, 512, false));
  const std::string told = new_findings();
  CHECK(lines(told) == 1);
  CHECK(has(told, "EMU007"));
  CHECK(has(told,
            "kernel consume reads byte 0 of an allocation of 4096 bytes "
            "that kernel produce wrote"));
  CHECK(has(told, "kernel produce was put into its stream here"));
}

TEST_CASE("two writes are a race, and a write after a read") {
  const Buffer buffer(4 * kKiB);
  run_apart(*stream_of(), kernel("kernel a", buffer.base, 64, true),
            *stream_of(), kernel("kernel b", buffer.base, 64, true));
  CHECK(lines(new_findings()) == 1);
  run_apart(*stream_of(), kernel("kernel a", buffer.base + 1024, 64, false),
            *stream_of(), kernel("kernel b", buffer.base + 1024, 64, true));
  CHECK(has(new_findings(), "kernel b writes byte 1024"));
}

TEST_CASE("two reads are none, nor are accesses of different bytes") {
  const Buffer buffer(4 * kKiB);
  run_apart(*stream_of(), kernel("kernel a", buffer.base, 64, false),
            *stream_of(), kernel("kernel b", buffer.base, 64, false));
  run_apart(*stream_of(), kernel("kernel a", buffer.base + 64, 1, true, 1),
            *stream_of(), kernel("kernel b", buffer.base + 65, 3, true, 1));
  run_apart(*stream_of(), copy("copy a", buffer.base + 130, 133, true),
            *stream_of(), copy("copy b", buffer.base + 263, 9, true));
  CHECK(new_findings().empty());
}

TEST_CASE("bytes that two accesses share are a race though they begin apart") {
  const Buffer buffer(4 * kKiB);
  run_apart(*stream_of(), kernel("kernel a", buffer.base, 8, true, 8),
            *stream_of(), kernel("kernel b", buffer.base + 7, 1, true, 1));
  CHECK(lines(new_findings()) == 1);
}

TEST_CASE("what is in one stream is in order") {
  const Buffer buffer(16 * kKiB);
  const StreamRef stream = stream_of();
  stream->put(copy("copy", buffer.base, buffer.size, true));
  stream->put(kernel("kernel", buffer.base, buffer.size, true));
  stream->put(copy("copy back", buffer.base, buffer.size, false));
  stream->put(copy("fill", buffer.base, buffer.size, true));
  stream->synchronize();
  CHECK(new_findings().empty());
}

TEST_CASE("events order streams, and records after them do not") {
  const Buffer buffer(4 * kKiB);
  const StreamRef first = stream_of();
  const StreamRef second = stream_of();
  const EventRef event = event_of();
  first->put(kernel("kernel a", buffer.base, 64, true));
  event->record(*first);
  second->wait(event);
  second->put(kernel("kernel b", buffer.base, 64, true));
  synchronize_device(0);
  CHECK(new_findings().empty());
  event->record(*first);
  second->wait(event);
  run_apart(*first, kernel("kernel c", buffer.base, 64, true), *second,
            kernel("kernel d", buffer.base, 64, true));
  CHECK(lines(new_findings()) == 1);
}

TEST_CASE("the host orders what it has waited for before what it then puts") {
  const Buffer buffer(4 * kKiB);
  const StreamRef first = stream_of();
  const StreamRef second = stream_of();
  SUBCASE("stream") {
    first->put(kernel("kernel a", buffer.base, 64, true));
    first->synchronize();
  }
  SUBCASE("query") {
    first->put(kernel("kernel a", buffer.base, 64, true));
    while (first->query() != Status::kSuccess) std::this_thread::yield();
  }
  SUBCASE("event") {
    const EventRef event = event_of();
    first->put(kernel("kernel a", buffer.base, 64, true));
    event->record(*first);
    event->synchronize();
  }
  SUBCASE("a function of the program") {
    std::atomic<bool> is_called{false};
    first->put(kernel("kernel a", buffer.base, 64, true));
    first->put_host({"function"}, [&](Status) { is_called = true; }, false);
    while (!is_called) std::this_thread::yield();
  }
  second->put(kernel("kernel b", buffer.base, 64, true));
  second->synchronize();
  CHECK(new_findings().empty());
}

TEST_CASE("the legacy stream orders blocking streams and not the others") {
  const Buffer buffer(4 * kKiB);
  const StreamRef blocking = stream_of(0);
  blocking->put(kernel("kernel a", buffer.base, 64, true));
  Stream::legacy(0)->put(kernel("kernel b", buffer.base, 64, true));
  blocking->put(kernel("kernel c", buffer.base, 64, true));
  synchronize_device(0);
  CHECK(new_findings().empty());
  run_apart(*Stream::legacy(0), kernel("kernel d", buffer.base, 64, true),
            *stream_of(), kernel("kernel e", buffer.base, 64, true));
  CHECK(lines(new_findings()) == 1);
}

TEST_CASE("atomic accesses race with plain ones only") {
  const Buffer buffer(4 * kKiB);
  run_apart(*stream_of(), kernel("kernel a", buffer.base, 64, true, 4, true),
            *stream_of(), kernel("kernel b", buffer.base, 64, true, 4, true));
  run_apart(*stream_of(), kernel("kernel a", buffer.base, 64, false, 4, true),
            *stream_of(), kernel("kernel b", buffer.base, 64, true, 4, true));
  CHECK(new_findings().empty());
  run_apart(*stream_of(), kernel("kernel c", buffer.base, 64, true, 4, true),
            *stream_of(), kernel("kernel d", buffer.base, 64, false));
  CHECK(lines(new_findings()) == 1);
  run_apart(*stream_of(), kernel("kernel e", buffer.base + 512, 64, false),
            *stream_of(),
            kernel("kernel f", buffer.base + 512, 64, true, 4, true));
  CHECK(lines(new_findings()) == 1);
  Work both = kernel("kernel g", buffer.base + 1024, 64, true, 4, true);
  both.body =
      [atomic = both.body,
       plain = kernel("", buffer.base + 1024, 64, true).body](Operation& by) {
        plain(by);
        return atomic(by);
      };
  run_apart(*stream_of(), std::move(both), *stream_of(),
            kernel("kernel h", buffer.base + 1024, 64, true, 4, true));
  CHECK(lines(new_findings()) == 1);
}

TEST_CASE("copies of whole pages race with kernels and with each other") {
  const Buffer buffer(64 * kKiB);
  std::byte* middle = buffer.base + 32 * kKiB;
  run_apart(*stream_of(), copy("copy a", buffer.base, buffer.size, true),
            *stream_of(), kernel("kernel b", middle, 4, false));
  CHECK(has(new_findings(), "kernel b reads byte 32768"));
  run_apart(*stream_of(), kernel("kernel c", middle + 8, 4, true), *stream_of(),
            copy("copy d", buffer.base, buffer.size, false));
  CHECK(has(new_findings(), "copy d reads byte 32776"));
  run_apart(*stream_of(), copy("copy e", buffer.base, buffer.size, false),
            *stream_of(), copy("fill f", buffer.base, buffer.size, true));
  CHECK(lines(new_findings()) == 1);
}

TEST_CASE("a pair of operations is told of once") {
  const Buffer buffer(64 * kKiB);
  run_apart(*stream_of(), kernel("kernel a", buffer.base, buffer.size, true),
            *stream_of(), kernel("kernel b", buffer.base, buffer.size, true));
  CHECK(lines(new_findings()) == 1);
}

TEST_CASE("memory that is forgotten has no past") {
  const Buffer buffer(256 * kKiB);
  const StreamRef first = stream_of();
  const StreamRef second = stream_of();
  const Work work = kernel("kernel a", buffer.base, buffer.size, true);
  std::atomic<bool> is_over{false};
  first->put({NodeKind::kKernel,
              {"kernel a", next_site()},
              [&](Operation& by) {
                const Status status = work.body(by);
                is_over = true;
                return status;
              },
              {},
              {}});
  first->put(copy("copy a", buffer.base, buffer.size / 2, true));
  while (!is_over || first->query() == Status::kNotReady)
    std::this_thread::yield();
  forget_accesses(buffer.base + 100, buffer.size - 200);
  second->put(kernel("kernel b", buffer.base + 100, buffer.size - 200, true));
  second->synchronize();
  CHECK(new_findings().empty());
}

TEST_CASE("branches of a graph race, its chains and launches do not") {
  const Buffer buffer(4 * kKiB);
  const auto graph = std::make_shared<Graph>();
  const auto add = [&](const std::string& name, std::size_t offset,
                       const std::vector<GraphNode*>& after) {
    Work work = kernel(name, buffer.base + offset, 64, true);
    GraphNode node;
    node.kind = NodeKind::kKernel;
    node.title = work.title;
    node.body = work.body;
    GraphNode* made = nullptr;
    REQUIRE(graph->add(std::move(node), after, &made) == Status::kSuccess);
    return made;
  };
  GraphNode* root = add("kernel root", 0, {});
  GraphNode* left = add("kernel left", 0, {root});
  GraphNode* right = add("kernel right", 64, {root});
  add("kernel last", 32, {left, right});
  GraphExecRef exec;
  REQUIRE(GraphExec::instantiate(*graph, &exec) == Status::kSuccess);
  exec->launch(*stream_of(), nullptr);
  exec->launch(*stream_of(), nullptr);
  synchronize_device(0);
  CHECK(new_findings().empty());
  add("kernel aside", 0, {root});
  REQUIRE(GraphExec::instantiate(*graph, &exec) == Status::kSuccess);
  exec->launch(*stream_of(), nullptr);
  synchronize_device(0);
  CHECK(lines(new_findings()) >= 1);
}
