// core/pool: allocations and frees in the order of streams, what pools hold of
// a device, and pools of other processes.
#include "pool.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <mutex>

#include "memory_settings.h"
#include "second_process.h"
#include "shadow.h"
#include "stream.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr char kSite = 0;

StreamRef made_stream(int device = 0) {
  return std::make_shared<Stream>(device, Stream::kNonBlocking, 0);
}

PoolRef made_pool(std::size_t most = 0, bool is_shareable = false) {
  PoolRef pool;
  REQUIRE(Pool::create(0, most, is_shareable, &pool) == Status::kSuccess);
  return pool;
}

std::byte* allocated(const PoolRef& pool, Stream& stream, std::size_t size) {
  void* address = nullptr;
  REQUIRE(pool->allocate(stream, size, &kSite, &address) == Status::kSuccess);
  REQUIRE(address != nullptr);
  return static_cast<std::byte*>(address);
}

void freed(Stream& stream, void* address) {
  REQUIRE(free_in_order(stream, address, &kSite) == Status::kSuccess);
}

void synchronised(Stream& stream) {
  REQUIRE(stream.synchronize() == Status::kSuccess);
  release_unused(stream.device());
}

bool may_use(const void* address, std::size_t size) {
  const Memory& memory = Memory::get();
  return shadow_allows(
      memory.shadow(),
      reinterpret_cast<std::uintptr_t>(address) - memory.arena(), size);
}

std::size_t available() { return Memory::get().available(0); }

// Work that holds a stream up until it is opened.
class Gate {
 public:
  explicit Gate(Stream& stream) {
    REQUIRE(stream.put_host(
                {"gate", nullptr},
                [this](Status) {
                  std::unique_lock lock(mutex_);
                  opened_.wait(lock, [this] { return is_open_; });
                },
                false) == Status::kSuccess);
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

}  // namespace

TEST_CASE("pool memory when its stream is not there yet") {
  const StreamRef stream = made_stream();
  const PoolRef pool = made_pool();
  Gate gate(*stream);
  std::byte* const made = allocated(pool, *stream, 5000);
  const auto before = Memory::get().find(made + 4999);
  REQUIRE(before.has_value());
  CHECK_FALSE(before->is_ready);
  CHECK(before->kind == MemoryKind::kDevice);
  CHECK(before->pool == pool->id());
  CHECK_FALSE(may_use(made, 1));
  gate.open();
  REQUIRE(stream->synchronize() == Status::kSuccess);
  CHECK(may_use(made, 5000));
  CHECK_FALSE(may_use(made, 5001));
  CHECK(Memory::get().find(made)->is_ready);
  CHECK(made[4999] == std::byte{0xCB});
  CHECK(Pool::of(made) == pool);
  Gate second(*stream);
  freed(*stream, made);
  // What was put before may use it; what comes now may not know it.
  CHECK(may_use(made, 5000));
  CHECK_FALSE(Memory::get().find(made).has_value());
  const void* freed_at = nullptr;
  CHECK(Memory::get().find_freed(made, &freed_at)->size == 5000);
  CHECK(freed_at == &kSite);
  CHECK(free_in_order(*stream, made, nullptr) == Status::kInvalidValue);
  second.open();
  synchronised(*stream);
  CHECK_FALSE(may_use(made, 1));
}

TEST_CASE("a pool's account when memory comes and goes") {
  const StreamRef stream = made_stream();
  const PoolRef pool = made_pool();
  const std::size_t before = available();
  std::byte* const first = allocated(pool, *stream, 3 * kMiB);
  CHECK(pool->figures().used == 3 * kMiB);
  CHECK(pool->figures().reserved == 4 * kMiB);
  CHECK(available() == before - 4 * kMiB);
  std::byte* const second = allocated(pool, *stream, kMiB);
  CHECK(pool->figures().reserved == 4 * kMiB);
  freed(*stream, first);
  CHECK(pool->figures().used == kMiB);
  CHECK(pool->figures().used_high == 4 * kMiB);
  // What one stream has freed it has at once.
  std::byte* const third = allocated(pool, *stream, 3 * kMiB);
  CHECK(pool->figures().reserved == 4 * kMiB);
  CHECK(third != first);
  freed(*stream, second);
  freed(*stream, third);
  Pool::Rules rules;
  rules.release_threshold = 2 * kMiB;
  pool->set_rules(rules);
  synchronised(*stream);
  CHECK(pool->figures().reserved == 2 * kMiB);
  CHECK(pool->figures().reserved_high == 4 * kMiB);
  pool->reset_reserved_high();
  pool->reset_used_high();
  CHECK(pool->figures().reserved_high == 2 * kMiB);
  CHECK(pool->figures().used_high == 0);
  pool->trim(kMiB);
  CHECK(pool->figures().reserved == kMiB);
  pool->trim(2 * kMiB);
  CHECK(pool->figures().reserved == kMiB);
  pool->trim(0);
  CHECK(available() == before);
}

TEST_CASE("a pool when another stream has not freed yet") {
  const StreamRef first = made_stream();
  const StreamRef second = made_stream();
  const PoolRef pool = made_pool();
  std::byte* const made = allocated(pool, *first, 2 * kMiB);
  Gate gate(*first);
  freed(*first, made);
  std::byte* const other = allocated(pool, *second, 2 * kMiB);
  CHECK(pool->figures().reserved == 4 * kMiB);
  // A trim leaves what a stream may still use.
  freed(*second, other);
  REQUIRE(second->synchronize() == Status::kSuccess);
  pool->trim(0);
  CHECK(pool->figures().reserved == 2 * kMiB);
  gate.open();
  REQUIRE(first->synchronize() == Status::kSuccess);
  // It is done: any stream may have it.
  freed(*second, allocated(pool, *second, 2 * kMiB));
  CHECK(pool->figures().reserved == 2 * kMiB);
  synchronised(*second);
  CHECK(pool->figures().reserved == 0);
}

TEST_CASE("a pool when reuse is not allowed before the program waits") {
  const StreamRef first = made_stream();
  const StreamRef second = made_stream();
  const PoolRef pool = made_pool();
  Pool::Rules rules;
  rules.allow_opportunistic = false;
  rules.release_threshold = UINT64_MAX;
  pool->set_rules(rules);
  freed(*first, allocated(pool, *first, 2 * kMiB));
  REQUIRE(first->synchronize() == Status::kSuccess);
  freed(*second, allocated(pool, *second, 2 * kMiB));
  CHECK(pool->figures().reserved == 4 * kMiB);
  synchronised(*second);
  CHECK(pool->figures().reserved == 4 * kMiB);
  freed(*second, allocated(pool, *second, 4 * kMiB));
  CHECK(pool->figures().reserved == 4 * kMiB);
  synchronised(*second);
  pool->trim(0);
}

TEST_CASE("a pool when the device is full but for what is being freed") {
  const StreamRef first = made_stream();
  const StreamRef second = made_stream();
  const PoolRef pool = made_pool();
  const std::size_t most = available();
  std::byte* const made = allocated(pool, *first, most);
  void* address = nullptr;
  CHECK(pool->allocate(*second, 1, nullptr, &address) == Status::kOutOfMemory);
  CHECK(Memory::get().allocate(1, MemoryKind::kDevice, 0, 0, nullptr,
                               &address) == Status::kOutOfMemory);
  Gate gate(*first);
  freed(*first, made);
  Pool::Rules rules;
  rules.allow_internal_dependencies = false;
  pool->set_rules(rules);
  CHECK(pool->allocate(*second, most, nullptr, &address) ==
        Status::kOutOfMemory);
  rules.allow_internal_dependencies = true;
  pool->set_rules(rules);
  // The second stream waits for the first one's free.
  std::byte* const next = allocated(pool, *second, most);
  CHECK(second->query() == Status::kNotReady);
  CHECK_FALSE(may_use(next, 1));
  gate.open();
  REQUIRE(second->synchronize() == Status::kSuccess);
  CHECK_FALSE(may_use(made, 1));
  CHECK(may_use(next, most));
  freed(*second, next);
  synchronised(*second);
  CHECK(available() == most);
}

TEST_CASE("a pool when another one holds what nobody uses") {
  const StreamRef stream = made_stream();
  const PoolRef greedy = made_pool();
  const PoolRef pool = made_pool();
  Pool::Rules rules;
  rules.release_threshold = UINT64_MAX;
  greedy->set_rules(rules);
  const std::size_t most = available();
  freed(*stream, allocated(greedy, *stream, most));
  synchronised(*stream);
  CHECK(available() == 0);
  freed(*stream, allocated(pool, *stream, kMiB));
  synchronised(*stream);
  CHECK(greedy->figures().reserved < most);
  greedy->trim(0);
  CHECK(available() == most);
}

TEST_CASE("pool memory when it is freed at once") {
  const StreamRef stream = made_stream();
  const PoolRef pool = made_pool();
  std::byte* const made = allocated(pool, *stream, 100);
  REQUIRE(stream->synchronize() == Status::kSuccess);
  CHECK(Memory::get().free(made, MemoryKind::kPinned, nullptr) ==
        Status::kInvalidValue);
  CHECK(Memory::get().free(made, MemoryKind::kDevice, nullptr) ==
        Status::kSuccess);
  CHECK(Memory::get().free(made, MemoryKind::kDevice, nullptr) ==
        Status::kInvalidValue);
  CHECK_FALSE(may_use(made, 1));
  CHECK(pool->figures().used == 0);
  void* plain = nullptr;
  REQUIRE(Memory::get().allocate(100, MemoryKind::kDevice, 0, 0, nullptr,
                                 &plain) == Status::kSuccess);
  CHECK(free_in_order(*stream, plain, nullptr) == Status::kInvalidValue);
  CHECK(Memory::get().free(plain, MemoryKind::kDevice, nullptr) ==
        Status::kSuccess);
  std::byte* const left = allocated(pool, *stream, 100);
  Memory::get().free_all(0, nullptr);
  CHECK_FALSE(Memory::get().find(left).has_value());
  CHECK(pool->figures().used == 0);
  REQUIRE(stream->synchronize() == Status::kSuccess);
  CHECK_FALSE(may_use(left, 1));
  pool->trim(0);
}

TEST_CASE("pools when they are made, chosen and destroyed") {
  const StreamRef stream = made_stream();
  const PoolRef by_default = Pool::default_of(0);
  REQUIRE(by_default);
  CHECK(Pool::default_of(0) == by_default);
  CHECK(Pool::default_of(1) != by_default);
  CHECK(Pool::default_of(kDevices) == nullptr);
  CHECK(Pool::current_of(0) == by_default);
  PoolRef pool = made_pool(3 * kMiB);
  CHECK(Pool::make_current(1, pool) == Status::kInvalidValue);
  CHECK(Pool::make_current(0, nullptr) == Status::kInvalidValue);
  CHECK(Pool::make_current(0, pool) == Status::kSuccess);
  CHECK(Pool::current_of(0) == pool);
  CHECK(Pool::destroy(by_default) == Status::kInvalidValue);
  void* address = nullptr;
  CHECK(pool->allocate(*stream, 4 * kMiB, nullptr, &address) ==
        Status::kOutOfMemory);
  CHECK(pool->allocate(*stream, 0, nullptr, &address) == Status::kInvalidValue);
  std::byte* const made = allocated(pool, *stream, 3 * kMiB);
  CHECK(pool->allocate(*stream, 1, nullptr, &address) == Status::kOutOfMemory);
  CHECK(Pool::destroy(pool) == Status::kSuccess);
  CHECK(Pool::current_of(0) == by_default);
  pool = nullptr;
  // What it gave lives on, and then the pool is gone.
  REQUIRE(stream->synchronize() == Status::kSuccess);
  CHECK(may_use(made, 3 * kMiB));
  freed(*stream, made);
  synchronised(*stream);
  CHECK(available() == kDeviceMemory);
  PoolRef none;
  CHECK(Pool::create(kDevices, 0, false, &none) == Status::kInvalidDevice);
}

TEST_CASE("access when devices are given and denied a pool") {
  const PoolRef pool = made_pool();
  CHECK(pool->access(0) == 3);
  CHECK(pool->access(1) == 0);
  CHECK(pool->set_access(1, 1) == Status::kSuccess);
  CHECK(pool->access(1) == 1);
  CHECK(pool->set_access(1, 0) == Status::kSuccess);
  CHECK(pool->set_access(1, 2) == Status::kInvalidValue);
  CHECK(pool->set_access(0, 0) == Status::kInvalidValue);
  CHECK(pool->set_access(kDevices, 3) == Status::kInvalidDevice);
}

TEST_CASE("second: takes memory out of a pool" * doctest::skip()) {
  Peer first = first_process();
  const int file = first.receive_file();
  PoolRef pool;
  REQUIRE(Pool::import_file(file, &pool) == Status::kSuccess);
  ::close(file);
  CHECK(pool->is_imported());
  const StreamRef stream = made_stream();
  void* address = nullptr;
  CHECK(pool->allocate(*stream, 1, nullptr, &address) == Status::kInvalidValue);
  CHECK(Pool::make_current(0, pool) == Status::kInvalidValue);
  CHECK(pool->export_file(nullptr) == Status::kInvalidValue);
  const auto data = first.receive<SharedHandle>();
  CHECK(made_pool()->import_pointer(data, &address) == Status::kInvalidValue);
  CHECK(import_memory(data, 0, &address) == Status::kInvalidHandle);
  for (int way = 0; way < 2; ++way) {
    REQUIRE(pool->import_pointer(data, &address) == Status::kSuccess);
    auto* const bytes = static_cast<std::byte*>(address);
    CHECK(may_use(bytes, 5000));
    CHECK(bytes[4999] == std::byte{21});
    bytes[0] = std::byte{22};
    CHECK(Pool::of(address) == pool);
    if (way == 0) {
      freed(*stream, address);
      synchronised(*stream);
    } else {
      CHECK(Memory::get().free(address, MemoryKind::kDevice, nullptr) ==
            Status::kSuccess);
    }
    CHECK_FALSE(may_use(bytes, 1));
  }
  const auto of_other = first.receive<SharedHandle>();
  CHECK(pool->import_pointer(of_other, &address) == Status::kInvalidValue);
}

TEST_CASE("pools when another process takes memory out of them") {
  SecondProcess second("second: takes memory out of a pool");
  const StreamRef stream = made_stream();
  const PoolRef pool = made_pool(0, true);
  const PoolRef other = made_pool(0, true);
  int file = -1;
  CHECK(made_pool()->export_file(&file) == Status::kInvalidValue);
  REQUIRE(pool->export_file(&file) == Status::kSuccess);
  PoolRef none;
  CHECK(Pool::import_file(0, &none) == Status::kInvalidValue);
  second.peer().send_file(file);
  ::close(file);
  std::byte* const made = allocated(pool, *stream, 5000);
  std::byte* const of_other = allocated(other, *stream, 5000);
  REQUIRE(stream->synchronize() == Status::kSuccess);
  made[4999] = std::byte{21};
  SharedHandle data{};
  CHECK(export_memory(made, &data) == Status::kInvalidValue);
  CHECK(Pool::export_pointer(&file, &data) == Status::kInvalidValue);
  REQUIRE(Pool::export_pointer(made, &data) == Status::kSuccess);
  second.peer().send(data);
  REQUIRE(Pool::export_pointer(of_other, &data) == Status::kSuccess);
  second.peer().send(data);
  CHECK(second.wait() == 0);
  CHECK(made[0] == std::byte{22});
  freed(*stream, made);
  freed(*stream, of_other);
  synchronised(*stream);
}
