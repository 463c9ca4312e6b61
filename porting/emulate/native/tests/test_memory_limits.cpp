// core/memory under limits of its process: addresses, files, lengths of files;
// and with many allocations and threads.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "memory.h"
#include "memory_settings.h"
#include "second_process.h"
#include "shadow.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr std::size_t kGiB = 1024 * kMiB;

// Null: out of memory.
std::byte* try_allocate(std::size_t size) {
  void* address = nullptr;
  const Status status = Memory::get().allocate(size, MemoryKind::kDevice, 0, 0,
                                               nullptr, &address);
  REQUIRE((status == Status::kSuccess || status == Status::kOutOfMemory));
  return static_cast<std::byte*>(address);
}

void freed(void* address) {
  REQUIRE(Memory::get().free(address, MemoryKind::kDevice, nullptr) ==
          Status::kSuccess);
}

bool may_use(const std::byte* address, std::size_t size) {
  const Memory& memory = Memory::get();
  return shadow_allows(
      memory.shadow(),
      reinterpret_cast<std::uintptr_t>(address) - memory.arena(), size);
}

// Allocate, use and free, and check that nothing is lost or overlaps.
void churn(unsigned seed, int steps) {
  std::mt19937 random(seed);
  std::vector<std::pair<std::byte*, std::size_t>> held;
  const auto mark = static_cast<int>(seed % 200 + 1);
  for (int step = 0; step < steps; ++step) {
    if (held.size() < 40 && random() % 3 != 0) {
      const std::size_t size =
          1 + random() % (random() % 8 == 0 ? 200 * kKiB : 3000);
      std::byte* const made = try_allocate(size);
      REQUIRE(made != nullptr);
      REQUIRE(may_use(made, size));
      std::memset(made, mark, size);
      held.emplace_back(made, size);
    } else if (!held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      const auto [made, size] = held.back();
      held.pop_back();
      REQUIRE(std::all_of(made, made + size, [mark](std::byte byte) {
        return byte == std::byte(mark);
      }));
      REQUIRE(Memory::get().find(made + size - 1)->size == size);
      freed(made);
    }
  }
  for (const auto& [made, size] : held) freed(made);
}

}  // namespace

TEST_CASE("second: has few addresses" * doctest::skip()) {
  // Half of the limit at most, and no less than 4 GiB.
  CHECK(Memory::get().arena_size() == 4 * kGiB);
  churn(1, 200);
  std::byte* const most = try_allocate(kDeviceMemory);
  CHECK(most != nullptr);
  freed(most);
}

TEST_CASE("the arena when addresses are limited") {
  for (const rlim_t limit : {6 * kGiB, 12 * kGiB}) {
    SecondProcess second("second: has few addresses", {{RLIMIT_AS, limit}});
    CHECK(second.wait() == 0);
  }
}

TEST_CASE("second: has too few addresses" * doctest::skip()) {
  const Memory& memory = Memory::get();
  CHECK(memory.arena_size() == 0);
  CHECK(try_allocate(1) == nullptr);
  CHECK_FALSE(memory.find(&memory).has_value());
  int host = 0;
  CHECK(Memory::get().register_host(&host, 4, 0) == Status::kSuccess);
}

TEST_CASE("the arena when there are too few addresses, or files are short") {
  SecondProcess narrow("second: has too few addresses",
                       {{RLIMIT_AS, 2 * kGiB}});
  CHECK(narrow.wait() == 0);
  SecondProcess brief("second: has too few addresses",
                      {{RLIMIT_FSIZE, 100 * kMiB}});
  CHECK(brief.wait() == 0);
}

TEST_CASE("second: has few files" * doctest::skip()) {
  // A quarter of the descriptors is for allocations, the others are left.
  std::vector<std::byte*> held;
  for (int i = 0; i < 300; ++i) {
    held.push_back(try_allocate(100 * kKiB));
    REQUIRE(held.back() != nullptr);
    std::memset(held.back(), i % 200, 100 * kKiB);
  }
  std::vector<int> files;
  for (int i = 0; i < 60; ++i) files.push_back(::dup(0));
  CHECK(*std::min_element(files.begin(), files.end()) >= 0);
  for (int i = 0; i < 300; ++i) {
    CHECK(held[i][100 * kKiB - 1] == std::byte(i % 200));
  }
  const Allocation last = *Memory::get().find(held.back());
  CHECK(last.file_offset == last.base - Memory::get().arena());
  CHECK(Memory::get().find(held.front())->file_offset == 0);
  for (std::byte* const made : held) freed(made);
  CHECK(Memory::get().available(0) == kDeviceMemory);
  // Virtual memory does without files of its own too, and cannot be exported.
  std::vector<std::uint64_t> handles(40);
  VirtualMemory& memory = VirtualMemory::get();
  for (std::uint64_t& handle : handles) {
    REQUIRE(memory.create(2 * kMiB, 0, nullptr, &handle) == Status::kSuccess);
  }
  int file = -1;
  CHECK(memory.export_file(handles.front(), &file) == Status::kSuccess);
  CHECK(memory.export_file(handles.back(), &file) == Status::kNotSupported);
  std::uintptr_t base = 0;
  REQUIRE(memory.reserve(2 * kMiB, 0, 0, &base) == Status::kSuccess);
  REQUIRE(memory.map(base, 2 * kMiB, 0, handles.back()) == Status::kSuccess);
  REQUIRE(memory.set_access(base, 2 * kMiB, 0, 3) == Status::kSuccess);
  std::memset(reinterpret_cast<void*>(base), 5, 2 * kMiB);
  CHECK(memory.unmap(base, 2 * kMiB) == Status::kSuccess);
  for (const std::uint64_t handle : handles) {
    CHECK(memory.release(handle) == Status::kSuccess);
  }
  CHECK(Memory::get().available(0) == kDeviceMemory);
}

TEST_CASE("allocations when files are limited") {
  SecondProcess second("second: has few files", {{RLIMIT_NOFILE, 100}});
  CHECK(second.wait() == 0);
}

TEST_CASE("allocations when there are thousands") {
  churn(5, 6000);
  std::vector<std::byte*> held;
  for (int i = 0; i < 20000; ++i) held.push_back(try_allocate(1 + i % 700));
  std::sort(held.begin(), held.end());
  CHECK(held.front() != nullptr);
  CHECK(std::adjacent_find(held.begin(), held.end()) == held.end());
  for (std::byte* const made : held) freed(made);
  CHECK(Memory::get().available(0) == kDeviceMemory);
}

TEST_CASE("allocations when the device is filled again and again") {
  for (int round = 0; round < 5; ++round) {
    std::vector<std::byte*> held;
    for (std::byte* one = try_allocate(30 * kMiB); one != nullptr;
         one = try_allocate(30 * kMiB)) {
      held.push_back(one);
    }
    CHECK(held.size() == 8);
    CHECK(Memory::get().available(0) == kDeviceMemory - 240 * kMiB);
    for (std::byte* const made : held) freed(made);
  }
}

TEST_CASE("memory that was freed when it is looked for in the machine") {
  const auto resident = [] {
    long pages = 0;
    FILE* const file = std::fopen("/proc/self/statm", "r");
    REQUIRE(std::fscanf(file, "%*d %ld", &pages) == 1);
    std::fclose(file);
    return static_cast<std::size_t>(pages) * 4096;
  };
  const std::size_t before = resident();
  for (int i = 0; i < 30; ++i) freed(try_allocate(10 * kMiB));
  CHECK(resident() < before + 20 * kMiB);
}

TEST_CASE("memory of the shared file when it is freed") {
  std::vector<void*> held;
  const auto blocks = [](int file) {
    struct stat facts{};
    REQUIRE(::fstat(file, &facts) == 0);
    return static_cast<std::size_t>(facts.st_blocks) * 512;
  };
  for (int i = 0; i < 100; ++i) {
    void* made = nullptr;
    REQUIRE(Memory::get().allocate(60 * kKiB, MemoryKind::kPinned, 0, 0,
                                   nullptr, &made) == Status::kSuccess);
    held.push_back(made);
  }
  const int file = Memory::get().find(held.front())->file;
  const std::size_t before = blocks(file);
  for (void* const made : held) {
    CHECK(Memory::get().free(made, MemoryKind::kPinned, nullptr) ==
          Status::kSuccess);
  }
  CHECK(blocks(file) <= before - 100 * 60 * kKiB);
}

TEST_CASE("memory when more of it is allocated than is worth filling") {
  // Each of 64 MiB is filled; the pinned ones do not count for the device.
  std::vector<void*> held;
  const auto is_filled = [&held] {
    void* made = nullptr;
    REQUIRE(Memory::get().allocate(64 * kMiB, MemoryKind::kPinned, 0, 0,
                                   nullptr, &made) == Status::kSuccess);
    held.push_back(made);
    return static_cast<std::byte*>(made)[64 * kMiB - 1] == std::byte{0xCB};
  };
  for (int i = 0; i < 16; ++i) CHECK(is_filled());
  CHECK_FALSE(is_filled());
  CHECK(Memory::get().free(held[3], MemoryKind::kPinned, nullptr) ==
        Status::kSuccess);
  held.erase(held.begin() + 3);
  CHECK(is_filled());
  for (void* const made : held) {
    CHECK(Memory::get().free(made, MemoryKind::kPinned, nullptr) ==
          Status::kSuccess);
  }
  std::byte* const large = try_allocate(65 * kMiB);
  CHECK(large[0] == std::byte{0});
  freed(large);
}

TEST_CASE("allocations when threads make and free them") {
  std::vector<std::thread> threads;
  std::atomic<bool> is_over = false;
  // One that only looks.
  std::byte* const known = try_allocate(1000);
  std::thread reader([&] {
    while (!is_over) {
      const auto found = Memory::get().find(known + 500);
      if (!found || found->size != 1000) std::abort();
      Memory::get().find_freed(known - 4096, nullptr);
      Memory::get().available(0);
    }
  });
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([i] { churn(100 + i, 1500); });
  }
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  reader.join();
  freed(known);
  CHECK(Memory::get().available(0) == kDeviceMemory);
}
