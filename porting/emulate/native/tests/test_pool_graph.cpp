// core/graph_memory: memory that graphs allocate and free; and pools used by
// many threads.
#include <doctest/doctest.h>

#include <any>
#include <atomic>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "graph.h"
#include "memory_settings.h"
#include "pool.h"
#include "shadow.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr std::size_t kSize = 3 * kMiB;

StreamRef made_stream() {
  return std::make_shared<Stream>(0, Stream::kNonBlocking, 0);
}

bool may_use(const void* address, std::size_t size) {
  const Memory& memory = Memory::get();
  return shadow_allows(
      memory.shadow(),
      reinterpret_cast<std::uintptr_t>(address) - memory.arena(), size);
}

std::size_t available() { return Memory::get().available(0); }

GraphExecRef instantiated(const GraphRef& graph) {
  GraphExecRef exec;
  REQUIRE(GraphExec::instantiate(*graph, &exec) == Status::kSuccess);
  return exec;
}

void launched(const GraphExecRef& exec, Stream& stream) {
  REQUIRE(exec->launch(stream, nullptr) == Status::kSuccess);
  REQUIRE(stream.synchronize() == Status::kSuccess);
}

// A graph of what is put into a stream.
template <typename Put>
GraphRef captured(Stream& stream, Put put) {
  REQUIRE(stream.begin_capture(CaptureMode::kRelaxed) == Status::kSuccess);
  put();
  GraphRef graph;
  REQUIRE(stream.end_capture(&graph) == Status::kSuccess);
  return graph;
}

// Put work that looks at memory.
void look_at(Stream& stream, const void* address, bool* was_usable) {
  Work work;
  work.title.what = "look";
  work.body = [=](Operation&) {
    *was_usable = may_use(address, kSize);
    return Status::kSuccess;
  };
  REQUIRE(stream.put(std::move(work)) == Status::kSuccess);
}

}  // namespace

TEST_CASE("memory of a graph when it is captured and launched") {
  const StreamRef stream = made_stream();
  const std::size_t before = available();
  void* address = nullptr;
  bool was_usable = false;
  {
    const GraphRef graph = captured(*stream, [&] {
      REQUIRE(Pool::default_of(0)->allocate(*stream, kSize, nullptr,
                                            &address) == Status::kSuccess);
      look_at(*stream, address, &was_usable);
      REQUIRE(free_in_order(*stream, address, nullptr) == Status::kSuccess);
    });
    CHECK(graph->nodes().size() == 3);
    CHECK(graph->nodes()[0]->kind == NodeKind::kAllocate);
    CHECK(graph->nodes()[2]->kind == NodeKind::kFree);
    const auto* const node =
        std::any_cast<GraphMemoryNode>(&graph->nodes()[0]->parameters);
    REQUIRE(node != nullptr);
    CHECK(node->address == address);
    CHECK(node->size == kSize);
    const auto* const last =
        std::any_cast<GraphMemoryNode>(&graph->nodes()[2]->parameters);
    REQUIRE(last != nullptr);
    CHECK(last->address == address);
    CHECK(Pool::default_of(0)->figures().used == 0);
    CHECK_FALSE(may_use(address, 1));
    CHECK(available() == before);
    const GraphExecRef exec = instantiated(graph);
    for (int launch = 0; launch < 3; ++launch) {
      was_usable = false;
      launched(exec, *stream);
      CHECK(was_usable);
      CHECK_FALSE(may_use(address, 1));
      CHECK(graph_figures(0).used == 0);
      CHECK(graph_figures(0).used_high == kSize);
      CHECK(graph_figures(0).reserved == kSize);
      CHECK(available() == before - kSize);
    }
    trim_graphs(0);
    CHECK(graph_figures(0).reserved == 0);
    CHECK(available() == before);
    reset_graph_figures(0, true);
    reset_graph_figures(0, false);
    CHECK(graph_figures(0).reserved_high == 0);
    CHECK(graph_figures(0).used_high == 0);
    launched(exec, *stream);
    CHECK(was_usable);
  }
  // With the graph its memory goes.
  REQUIRE(stream->synchronize() == Status::kSuccess);
  CHECK(available() == before);
  CHECK_FALSE(Memory::get().find(address).has_value());
}

TEST_CASE("memory of a graph when it is freed outside of it") {
  const StreamRef stream = made_stream();
  GraphAllocation made;
  REQUIRE(allocate_in_graph(kSize, 0, nullptr, &made) == Status::kSuccess);
  const auto graph = std::make_shared<Graph>();
  GraphNode node;
  node.kind = NodeKind::kAllocate;
  node.body = std::move(made.allocate);
  GraphNode* added = nullptr;
  REQUIRE(graph->add(std::move(node), {}, &added) == Status::kSuccess);
  const GraphExecRef exec = instantiated(graph);
  CHECK(Memory::get().free(made.address, MemoryKind::kDevice, nullptr) ==
        Status::kInvalidValue);
  launched(exec, *stream);
  CHECK(may_use(made.address, kSize));
  CHECK_FALSE(may_use(made.address, kSize + 1));
  trim_graphs(0);
  CHECK(graph_figures(0).reserved == kSize);
  REQUIRE(free_in_order(*stream, made.address, nullptr) == Status::kSuccess);
  REQUIRE(stream->synchronize() == Status::kSuccess);
  CHECK_FALSE(may_use(made.address, 1));
  CHECK(Memory::get().find_freed(made.address, nullptr)->size == kSize);
  launched(exec, *stream);
  CHECK(may_use(made.address, kSize));
  CHECK(Memory::get().free(made.address, MemoryKind::kDevice, nullptr) ==
        Status::kSuccess);
  CHECK(Memory::get().free(made.address, MemoryKind::kDevice, nullptr) ==
        Status::kInvalidValue);
  CHECK_FALSE(may_use(made.address, 1));
}

TEST_CASE("a launch when the one before has left memory allocated") {
  const StreamRef stream = made_stream();
  GraphAllocation made;
  REQUIRE(allocate_in_graph(kSize, 0, nullptr, &made) == Status::kSuccess);
  const auto graph = std::make_shared<Graph>();
  GraphNode node;
  node.kind = NodeKind::kAllocate;
  node.body = std::move(made.allocate);
  GraphNode* added = nullptr;
  REQUIRE(graph->add(std::move(node), {}, &added) == Status::kSuccess);
  const GraphExecRef exec = instantiated(graph);
  const GraphMemoryUse use{.allocated = {made.address}};
  const auto prepared = [&](const GraphMemoryUse& how) {
    return prepare_launch(*stream, how, nullptr);
  };
  REQUIRE(prepared(use) == Status::kSuccess);
  CHECK(graph_figures(0).reserved == kSize);
  // It is known before the launch has run.
  CHECK(prepared(use) == Status::kInvalidValue);
  launched(exec, *stream);
  CHECK(prepared(use) == Status::kInvalidValue);
  CHECK(prepared({.allocated = {made.address}, .frees_left = true}) ==
        Status::kSuccess);
  launched(exec, *stream);
  CHECK(may_use(made.address, kSize));
  REQUIRE(free_in_order(*stream, made.address, nullptr) == Status::kSuccess);
  CHECK(prepared({.allocated = {made.address}, .freed = {made.address}}) ==
        Status::kSuccess);
  CHECK(prepared(use) == Status::kSuccess);
  launched(exec, *stream);
  CHECK(Memory::get().free(made.address, MemoryKind::kDevice, nullptr) ==
        Status::kSuccess);
  CHECK(prepared(use) == Status::kSuccess);
  forget_left(made.address);
  CHECK(prepared({.allocated = {&made}}) == Status::kInvalidValue);
  trim_graphs(0);
  CHECK(graph_figures(0).reserved == 0);
  // The device has too little: the launch is refused, and nothing is broken.
  void* most = nullptr;
  REQUIRE(Memory::get().allocate(available() - kSize + 1, MemoryKind::kDevice,
                                 0, 0, nullptr, &most) == Status::kSuccess);
  CHECK(prepared(use) == Status::kOutOfMemory);
  REQUIRE(Memory::get().free(most, MemoryKind::kDevice, nullptr) ==
          Status::kSuccess);
  CHECK(device_failure(0) == Status::kSuccess);
}

TEST_CASE("memory of a graph when it cannot be had") {
  const StreamRef stream = made_stream();
  GraphAllocation made;
  Operation::Body body;
  CHECK(allocate_in_graph(0, 0, nullptr, &made) == Status::kInvalidValue);
  CHECK(allocate_in_graph(1, kDevices, nullptr, &made) ==
        Status::kInvalidDevice);
  CHECK(allocate_in_graph(kDeviceMemory + 1, 0, nullptr, &made) ==
        Status::kOutOfMemory);
  CHECK(free_in_graph(&made, &body) == Status::kInvalidValue);
  // What a pool gave is not freed by a graph.
  void* address = nullptr;
  REQUIRE(Pool::default_of(0)->allocate(*stream, 100, nullptr, &address) ==
          Status::kSuccess);
  captured(*stream, [&] {
    CHECK(free_in_order(*stream, address, nullptr) == Status::kInvalidValue);
  });
  REQUIRE(free_in_order(*stream, address, nullptr) == Status::kSuccess);
  REQUIRE(stream->synchronize() == Status::kSuccess);
  release_unused(0);
}

// A thread that trims holds what the other lets go meanwhile.
TEST_CASE("graphs of one device when they go while another is trimmed") {
  std::atomic<bool> is_over = false;
  std::thread trimming([&] {
    while (!is_over) trim_graphs(0);
  });
  for (int round = 0; round < 20000; ++round) {
    GraphAllocation made;
    REQUIRE(allocate_in_graph(100, 1, nullptr, &made) == Status::kSuccess);
  }
  is_over = true;
  trimming.join();
  CHECK(graph_figures(1).reserved == 0);
}

TEST_CASE("pool memory when two threads free it at once") {
  const StreamRef stream = made_stream();
  const PoolRef pool = Pool::default_of(0);
  for (int round = 0; round < 300; ++round) {
    void* address = nullptr;
    REQUIRE(pool->allocate(*stream, 1000, nullptr, &address) ==
            Status::kSuccess);
    std::latch both(2);
    std::atomic<int> successes = 0;
    const auto free = [&] {
      both.arrive_and_wait();
      if (free_pooled(address, nullptr)) ++successes;
    };
    std::thread other(free);
    free();
    other.join();
    CHECK(successes == 1);
  }
  CHECK(pool->figures().used == 0);
  REQUIRE(stream->synchronize() == Status::kSuccess);
  release_unused(0);
}

TEST_CASE("pools when threads use them with streams of their own") {
  const PoolRef pool = Pool::default_of(0);
  const std::size_t before = available();
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&pool, seed] {
      std::mt19937 random(seed);
      const StreamRef stream = made_stream();
      std::vector<void*> held;
      for (int step = 0; step < 400; ++step) {
        if (held.size() < 10 && random() % 2 == 0) {
          void* address = nullptr;
          const std::size_t size = 1 + random() % 100000;
          REQUIRE(pool->allocate(*stream, size, nullptr, &address) ==
                  Status::kSuccess);
          held.push_back(address);
        } else if (!held.empty()) {
          REQUIRE(free_in_order(*stream, held.back(), nullptr) ==
                  Status::kSuccess);
          held.pop_back();
        }
        if (step % 100 == 0) {
          REQUIRE(stream->synchronize() == Status::kSuccess);
          release_unused(0);
        }
      }
      for (void* const address : held) {
        REQUIRE(free_in_order(*stream, address, nullptr) == Status::kSuccess);
      }
      REQUIRE(stream->synchronize() == Status::kSuccess);
    });
  }
  for (std::thread& thread : threads) thread.join();
  release_unused(0);
  CHECK(pool->figures().used == 0);
  CHECK(pool->figures().reserved == 0);
  CHECK(available() == before);
}
