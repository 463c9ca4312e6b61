// core/memory: allocations, the shadow's answer for them, what was freed, host
// memory.
#include "memory.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "memory_settings.h"
#include "shadow.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr char kSite = 0;

// Allocate what has to work.
std::byte* allocated(std::size_t size, MemoryKind kind = MemoryKind::kDevice,
                     int device = 0) {
  void* address = nullptr;
  REQUIRE(Memory::get().allocate(size, kind, device, 0, &kSite, &address) ==
          Status::kSuccess);
  return static_cast<std::byte*>(address);
}

void freed(void* address, MemoryKind kind = MemoryKind::kDevice) {
  REQUIRE(Memory::get().free(address, kind, &kSite) == Status::kSuccess);
}

bool may_use(const std::byte* address, std::size_t size) {
  const Memory& memory = Memory::get();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  REQUIRE(at - memory.arena() < memory.arena_size());
  return shadow_allows(memory.shadow(), at - memory.arena(), size);
}

}  // namespace

TEST_CASE("allocation when every size up to large ones is asked for") {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257},
        64 * kKiB - 1, 64 * kKiB, 64 * kKiB + 1, 3 * kMiB + 5}) {
    CAPTURE(size);
    std::byte* const made = allocated(size);
    CHECK(reinterpret_cast<std::uintptr_t>(made) % kGranule == 0);
    CHECK(may_use(made, size));
    CHECK(may_use(made + size - 1, 1));
    CHECK_FALSE(may_use(made, size + 1));
    CHECK_FALSE(may_use(made + size, 1));
    CHECK_FALSE(may_use(made - 1, 1));
    CHECK(std::all_of(made, made + size,
                      [](std::byte byte) { return byte == std::byte{0xCB}; }));
    std::memset(made, 1, size);
    freed(made);
    CHECK_FALSE(may_use(made, 1));
    CHECK_FALSE(may_use(made + size - 1, 1));
  }
}

TEST_CASE("allocations when they are neighbours") {
  for (const std::size_t size : {std::size_t{256}, std::size_t{1000}}) {
    std::vector<std::byte*> made;
    for (int i = 0; i < 200; ++i) made.push_back(allocated(size));
    for (std::byte* const one : made) {
      CHECK(may_use(one, size));
      CHECK_FALSE(may_use(one + size, 1));
      CHECK_FALSE(may_use(one - 1, 1));
    }
    for (std::byte* const one : made) freed(one);
  }
}

TEST_CASE("allocation when memory is used again") {
  std::vector<std::byte*> made;
  for (int i = 0; i < 3000; ++i) {
    std::byte* const one = allocated(300);
    CHECK(one[299] == std::byte{0xCB});
    std::memset(one, 7, 300);
    made.push_back(one);
  }
  for (std::byte* const one : made) freed(one);
  std::byte* const again = allocated(300);
  CHECK(again[0] == std::byte{0xCB});
  freed(again);
}

TEST_CASE("allocation when nothing or too much is asked for") {
  Memory& memory = Memory::get();
  void* address = &memory;
  CHECK(memory.allocate(0, MemoryKind::kDevice, 0, 0, nullptr, &address) ==
        Status::kSuccess);
  CHECK(address == nullptr);
  for (const std::size_t size : {kDeviceMemory + 1, std::size_t{1} << 45,
                                 SIZE_MAX - 4096, SIZE_MAX - 1, SIZE_MAX}) {
    CAPTURE(size);
    CHECK(memory.allocate(size, MemoryKind::kDevice, 0, 0, nullptr, &address) ==
          Status::kOutOfMemory);
    CHECK(address == nullptr);
  }
  CHECK(memory.allocate(SIZE_MAX, MemoryKind::kPinned, 0, 0, nullptr,
                        &address) == Status::kOutOfMemory);
  CHECK(memory.allocate(1, MemoryKind::kDevice, kDevices, 0, nullptr,
                        &address) == Status::kInvalidDevice);
  CHECK(memory.allocate(1, MemoryKind::kManaged, -1, 0, nullptr, &address) ==
        Status::kInvalidDevice);
  CHECK(memory.allocate(1, MemoryKind::kVirtual, 0, 0, nullptr, &address) ==
        Status::kInvalidValue);
  CHECK(memory.available(0) == kDeviceMemory);
}

TEST_CASE(
    "out of memory when the device has been given away to the last byte") {
  Memory& memory = Memory::get();
  REQUIRE(memory.available(0) == kDeviceMemory);
  std::byte* const most = allocated(kDeviceMemory - 512);
  std::byte* const one = allocated(1);
  CHECK(memory.available(0) == 256);
  void* address = nullptr;
  CHECK(memory.allocate(257, MemoryKind::kManaged, 0, 0, nullptr, &address) ==
        Status::kOutOfMemory);
  std::byte* const last = allocated(256, MemoryKind::kManaged);
  CHECK(memory.available(0) == 0);
  CHECK(memory.allocate(1, MemoryKind::kDevice, 0, 0, nullptr, &address) ==
        Status::kOutOfMemory);
  // The other device and the host have their own.
  CHECK(memory.available(1) == kDeviceMemory);
  freed(allocated(1, MemoryKind::kDevice, 1));
  freed(allocated(1, MemoryKind::kPinned), MemoryKind::kPinned);
  freed(most);
  freed(one);
  freed(last, MemoryKind::kManaged);
  CHECK(memory.available(0) == kDeviceMemory);
  CHECK(memory.total(0) == kDeviceMemory);
  CHECK(memory.total(kDevices) == 0);
  CHECK(memory.available(-1) == 0);
}

TEST_CASE("free when the address or the kind is wrong") {
  Memory& memory = Memory::get();
  std::byte* const made = allocated(1000);
  int local = 0;
  CHECK(memory.free(nullptr, MemoryKind::kDevice, nullptr) == Status::kSuccess);
  CHECK(memory.free(made + 1, MemoryKind::kDevice, nullptr) ==
        Status::kInvalidValue);
  CHECK(memory.free(made, MemoryKind::kPinned, nullptr) ==
        Status::kInvalidValue);
  CHECK(memory.free(&local, MemoryKind::kDevice, nullptr) ==
        Status::kInvalidValue);
  CHECK(may_use(made, 1000));
  freed(made);
  CHECK(memory.free(made, MemoryKind::kDevice, nullptr) ==
        Status::kInvalidValue);
}

TEST_CASE("finding when an address is inside, at the end, and outside") {
  const Memory& memory = Memory::get();
  std::byte* const made = allocated(1000, MemoryKind::kDevice, 1);
  for (const std::size_t inside : {0, 1, 999}) {
    const auto found = memory.find(made + inside);
    REQUIRE(found.has_value());
    CHECK(found->base == reinterpret_cast<std::uintptr_t>(made));
    CHECK(found->size == 1000);
    CHECK(found->device == 1);
    CHECK(found->kind == MemoryKind::kDevice);
    CHECK(found->site == &kSite);
  }
  CHECK_FALSE(memory.find(made + 1000).has_value());
  CHECK_FALSE(memory.find(made - 1).has_value());
  CHECK_FALSE(memory.find(nullptr).has_value());
  freed(made);
  CHECK_FALSE(memory.find(made).has_value());
}

TEST_CASE("what was freed when it is asked for") {
  const Memory& memory = Memory::get();
  std::byte* const made = allocated(5000);
  const std::uint64_t id = memory.find(made)->id;
  constexpr char kFreeSite = 0;
  REQUIRE(Memory::get().free(made, MemoryKind::kDevice, &kFreeSite) ==
          Status::kSuccess);
  const void* freed_at = nullptr;
  const auto found = memory.find_freed(made + 4999, &freed_at);
  REQUIRE(found.has_value());
  CHECK(found->id == id);
  CHECK(found->size == 5000);
  CHECK(freed_at == &kFreeSite);
  // What else was there before is older.
  const auto behind = memory.find_freed(made + 5000, nullptr);
  CHECK((!behind || behind->id < id));
  CHECK_FALSE(memory.find_freed(&memory, nullptr).has_value());
}

TEST_CASE("addresses when they were just freed") {
  for (const std::size_t size : {std::size_t{400}, 70 * kKiB}) {
    CAPTURE(size);
    std::byte* const made = allocated(size);
    freed(made);
    // None of the next thousand has one of its bytes.
    for (int i = 0; i < 1000; ++i) {
      std::byte* const other = allocated(size);
      CHECK((other + size <= made || other >= made + size));
      freed(other);
    }
  }
}

TEST_CASE("addresses when they have rested") {
  std::set<std::byte*> seen;
  bool is_reused = false;
  for (int i = 0; i < 4000 && !is_reused; ++i) {
    std::byte* const made = allocated(128 * kKiB);
    is_reused = !seen.insert(made).second;
    freed(made);
  }
  CHECK(is_reused);
}

TEST_CASE("pinned memory when it is reached by its other address") {
  Memory& memory = Memory::get();
  for (const std::size_t size : {std::size_t{10}, 100 * kKiB}) {
    for (const auto kind : {MemoryKind::kPinned, MemoryKind::kManaged}) {
      std::byte* const made = allocated(size, kind);
      std::byte* const other = memory.alias(made + 3);
      REQUIRE(other != nullptr);
      CHECK(other == memory.alias(made) + 3);
      other[0] = std::byte{42};
      CHECK(made[3] == std::byte{42});
      // The host's view is shut, the other is not.
      REQUIRE(::mprotect(made, 4096, PROT_NONE) == 0);
      other[1] = std::byte{43};
      REQUIRE(::mprotect(made, 4096, PROT_READ | PROT_WRITE) == 0);
      CHECK(made[4] == std::byte{43});
      freed(made, kind);
      CHECK(memory.alias(made) == nullptr);
    }
  }
  std::byte* const device = allocated(100);
  CHECK(memory.alias(device) == nullptr);
  CHECK(memory.alias(&memory) == nullptr);
  freed(device);
}

TEST_CASE("pinned allocations when they are small") {
  std::byte* const first = allocated(8, MemoryKind::kPinned);
  std::byte* const second = allocated(8, MemoryKind::kPinned);
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 4096 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(second) % 4096 == 0);
  CHECK(std::abs(second - first) > 4096);
  CHECK(Memory::get().find(first)->device == -1);
  freed(first, MemoryKind::kPinned);
  freed(second, MemoryKind::kPinned);
}

TEST_CASE("host memory when it is registered") {
  Memory& memory = Memory::get();
  std::vector<std::byte> host(10000);
  std::byte* const at = host.data();
  REQUIRE(memory.register_host(at + 100, 5000, 5) == Status::kSuccess);
  const auto found = memory.find(at + 5099);
  REQUIRE(found.has_value());
  CHECK(found->kind == MemoryKind::kRegistered);
  CHECK(found->size == 5000);
  CHECK(found->flags == 5);
  CHECK_FALSE(memory.find(at + 5100).has_value());
  CHECK_FALSE(memory.find(at + 99).has_value());
  for (const auto& [from, size] : std::vector<std::pair<int, std::size_t>>{
           {100, 5000}, {0, 101}, {5099, 1}, {0, 10000}, {200, 10}}) {
    CHECK(memory.register_host(at + from, size, 0) ==
          Status::kAlreadyRegistered);
  }
  REQUIRE(memory.register_host(at + 5100, 10, 0) == Status::kSuccess);
  CHECK(memory.unregister_host(at + 101) == Status::kNotRegistered);
  CHECK(memory.unregister_host(at + 100) == Status::kSuccess);
  CHECK(memory.unregister_host(at + 100) == Status::kNotRegistered);
  CHECK(memory.unregister_host(at + 5100) == Status::kSuccess);
}

TEST_CASE("host memory when it cannot be registered") {
  Memory& memory = Memory::get();
  std::byte* const pinned = allocated(100, MemoryKind::kPinned);
  std::byte* const device = allocated(100);
  CHECK(memory.register_host(pinned, 100, 0) == Status::kAlreadyRegistered);
  CHECK(memory.register_host(device, 100, 0) == Status::kInvalidValue);
  CHECK(memory.register_host(nullptr, 100, 0) == Status::kInvalidValue);
  CHECK(memory.register_host(&memory, 0, 0) == Status::kInvalidValue);
  CHECK(memory.register_host(&memory, SIZE_MAX, 0) == Status::kInvalidValue);
  // The second of two pages is gone.
  void* const pages = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(::munmap(static_cast<char*>(pages) + 4096, 4096) == 0);
  CHECK(memory.register_host(pages, 8192, 0) == Status::kInvalidValue);
  CHECK(memory.register_host(pages, 4096, 0) == Status::kSuccess);
  CHECK(memory.unregister_host(pages) == Status::kSuccess);
  ::munmap(pages, 4096);
  freed(pinned, MemoryKind::kPinned);
  freed(device);
}

TEST_CASE("memory when a child of fork wants it") {
  Memory& memory = Memory::get();
  std::byte* const made = allocated(100);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    void* address = nullptr;
    SharedHandle handle{};
    std::uint64_t physical = 0;
    const bool is_refused =
        memory.allocate(100, MemoryKind::kDevice, 0, 0, nullptr, &address) ==
            Status::kNotInitialized &&
        memory.free(made, MemoryKind::kDevice, nullptr) ==
            Status::kNotInitialized &&
        export_memory(made, &handle) == Status::kNotInitialized &&
        VirtualMemory::get().create(2 * kMiB, 0, nullptr, &physical) ==
            Status::kNotInitialized;
    ::_exit(is_refused ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(may_use(made, 100));
  CHECK(made[99] == std::byte{0xCB});
  freed(made);
}

TEST_CASE("all of a device when it is freed at once") {
  Memory& memory = Memory::get();
  const std::size_t before = memory.live().size();
  std::byte* const other = allocated(100, MemoryKind::kDevice, 1);
  std::byte* const pinned = allocated(100, MemoryKind::kPinned);
  for (int i = 0; i < 20; ++i) allocated(50 * kKiB);
  allocated(kMiB, MemoryKind::kManaged);
  CHECK(memory.live().size() == before + 23);
  memory.free_all(0, &kSite);
  CHECK(memory.available(0) == kDeviceMemory);
  CHECK(memory.live().size() == before + 2);
  CHECK(memory.find(other).has_value());
  CHECK(memory.find(pinned).has_value());
  freed(other);
  freed(pinned, MemoryKind::kPinned);
}
