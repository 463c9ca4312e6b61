// core/shared_memory and core/ticket: handles and descriptors, between two
// processes.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "memory.h"
#include "memory_settings.h"
#include "second_process.h"
#include "shadow.h"
#include "ticket.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr std::size_t kSmall = 1000;
constexpr std::size_t kLarge = 300 * kKiB + 7;

std::byte* allocated(std::size_t size, MemoryKind kind = MemoryKind::kDevice) {
  void* address = nullptr;
  REQUIRE(Memory::get().allocate(size, kind, 0, 0, nullptr, &address) ==
          Status::kSuccess);
  return static_cast<std::byte*>(address);
}

void freed(void* address, MemoryKind kind = MemoryKind::kDevice) {
  REQUIRE(Memory::get().free(address, kind, nullptr) == Status::kSuccess);
}

bool may_use(const void* address, std::size_t size) {
  const Memory& memory = Memory::get();
  return shadow_allows(
      memory.shadow(),
      reinterpret_cast<std::uintptr_t>(address) - memory.arena(), size);
}

SharedHandle exported(const void* address) {
  SharedHandle handle{};
  REQUIRE(export_memory(address, &handle) == Status::kSuccess);
  return handle;
}

// Make a ticket's check hold again, as somebody who forges one would.
SharedHandle resealed(Ticket ticket) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&ticket);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < offsetof(Ticket, check); ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  }
  ticket.check = hash;
  SharedHandle handle{};
  std::memcpy(handle.bytes, &ticket, sizeof(ticket));
  return handle;
}

Status import(const SharedHandle& handle) {
  void* address = nullptr;
  const Status status = import_memory(handle, 0, &address);
  if (status == Status::kSuccess) close_imported(address);
  return status;
}

}  // namespace

TEST_CASE("second: opens what it is told of" * doctest::skip()) {
  Peer first = first_process();
  for (const std::size_t size : {kSmall, kLarge}) {
    const auto handle = first.receive<SharedHandle>();
    void* address = nullptr;
    REQUIRE(import_memory(handle, 1, &address) == Status::kSuccess);
    auto* const bytes = static_cast<std::byte*>(address);
    CHECK(bytes[0] == std::byte{1});
    CHECK(bytes[size - 1] == std::byte{2});
    CHECK(may_use(bytes, size));
    CHECK_FALSE(may_use(bytes, size + 1));
    const auto found = Memory::get().find(bytes + size - 1);
    REQUIRE(found.has_value());
    CHECK(found->kind == MemoryKind::kImported);
    CHECK(found->device == 1);
    CHECK(found->size == size);
    CHECK(Memory::get().available(1) == kDeviceMemory);
    // Opened once more it is the same, until it is closed as often.
    void* again = nullptr;
    REQUIRE(import_memory(handle, 1, &again) == Status::kSuccess);
    CHECK(again == address);
    CHECK(close_imported(address) == Status::kSuccess);
    bytes[1] = std::byte{3};
    CHECK(Memory::get().free(address, MemoryKind::kDevice, nullptr) ==
          Status::kInvalidValue);
    CHECK(close_imported(address) == Status::kSuccess);
    CHECK_FALSE(may_use(bytes, 1));
    CHECK(close_imported(address) == Status::kInvalidValue);
    first.send('d');
  }
}

TEST_CASE("memory when another process opens it") {
  SecondProcess second("second: opens what it is told of");
  std::byte* const other = allocated(kSmall);
  for (const std::size_t size : {kSmall, kLarge}) {
    std::byte* const made = allocated(size);
    made[0] = std::byte{1};
    made[size - 1] = std::byte{2};
    // A handle of an address inside is one of the whole.
    second.peer().send(exported(made + size / 2));
    CHECK(second.peer().receive<char>() == 'd');
    CHECK(made[1] == std::byte{3});
    freed(made);
  }
  CHECK(second.wait() == 0);
  freed(other);
}

TEST_CASE("second: opens what is gone or false" * doctest::skip()) {
  Peer first = first_process();
  const auto good = first.receive<SharedHandle>();
  CHECK(import(good) == Status::kSuccess);
  for (std::size_t i = 0; i < sizeof(good.bytes); ++i) {
    SharedHandle changed = good;
    changed.bytes[i] ^= 0x10;
    CAPTURE(i);
    CHECK(import(changed) == Status::kInvalidHandle);
  }
  void* address = nullptr;
  CHECK(import_memory(good, kDevices, &address) == Status::kInvalidDevice);
  const Ticket ticket = *Ticket::read(good);
  std::vector<Ticket> forged(8, ticket);
  forged[0].slot += 1;
  forged[1].slot = Ledger::kSlots;
  forged[2].id += 1;
  forged[3].nonce ^= 2;
  forged[4].started += 1;
  forged[5].process = ::getpid();
  forged[6].ledger = 0;
  forged[7].process = -1;
  for (const Ticket& one : forged) {
    CHECK(import(resealed(one)) == Status::kMapFailed);
  }
  Ticket of_pool = ticket;
  of_pool.pool = 5;
  CHECK(import(resealed(of_pool)) == Status::kInvalidHandle);
  first.send('f');  // the first frees it
  CHECK(first.receive<char>() == 'f');
  CHECK(import(good) == Status::kMapFailed);
}

TEST_CASE("handles when the memory is gone or the handle is false") {
  for (const std::size_t size : {kSmall, kLarge}) {
    SecondProcess second("second: opens what is gone or false");
    std::byte* const made = allocated(size);
    second.peer().send(exported(made));
    CHECK(second.peer().receive<char>() == 'f');
    freed(made);
    // Its place in the list of what is shared is taken by another.
    std::byte* const next = allocated(size);
    const SharedHandle other = exported(next);
    CHECK(other.bytes[0] != 0);
    second.peer().send('f');
    CHECK(second.wait() == 0);
    freed(next);
  }
}

TEST_CASE("second: exports and ends" * doctest::skip()) {
  Peer first = first_process();
  first.send(exported(allocated(kLarge)));
  first.receive<char>();
}

TEST_CASE("handles when their process has ended") {
  SecondProcess second("second: exports and ends");
  const auto handle = second.peer().receive<SharedHandle>();
  void* address = nullptr;
  REQUIRE(import_memory(handle, 0, &address) == Status::kSuccess);
  auto* const bytes = static_cast<std::byte*>(address);
  second.peer().send('e');
  CHECK(second.wait() == 0);
  // What is open stays, as it is not known to be freed.
  CHECK(bytes[kLarge - 1] == std::byte{0xCB});
  CHECK(close_imported(address) == Status::kSuccess);
  CHECK(import_memory(handle, 0, &address) == Status::kMapFailed);
}

TEST_CASE("handles when they are of the own process or of no device memory") {
  std::byte* const made = allocated(kSmall);
  const SharedHandle handle = exported(made);
  void* address = nullptr;
  CHECK(import_memory(handle, 0, &address) == Status::kInvalidContext);
  CHECK(std::memcmp(
            &handle,
            [&] {
              static SharedHandle again;
              again = exported(made);
              return &again;
            }(),
            sizeof(handle)) == 0);
  SharedHandle other{};
  CHECK(import_memory(other, 0, &address) == Status::kInvalidHandle);
  std::byte* const pinned = allocated(kSmall, MemoryKind::kPinned);
  std::byte* const managed = allocated(kSmall, MemoryKind::kManaged);
  CHECK(export_memory(pinned, &other) == Status::kInvalidValue);
  CHECK(export_memory(managed, &other) == Status::kInvalidValue);
  CHECK(export_memory(&other, &other) == Status::kInvalidValue);
  CHECK(close_imported(made) == Status::kInvalidValue);
  freed(pinned, MemoryKind::kPinned);
  freed(managed, MemoryKind::kManaged);
  freed(made);
  CHECK(export_memory(made, &other) == Status::kInvalidValue);
}

TEST_CASE("dmabuf when an allocation is exported") {
  for (const std::size_t size : {kSmall, kLarge}) {
    CAPTURE(size);
    std::byte* const made = allocated(size);
    int file = -1;
    std::size_t offset = 1;
    REQUIRE(export_dmabuf(made, size, &file, &offset) == Status::kSuccess);
    if (size == kLarge) CHECK(offset == 0);
    made[size - 1] = std::byte{77};
    const std::size_t start = align_down(offset, 4096);
    const std::size_t length = offset - start + size;
    void* const view = ::mmap(nullptr, length, PROT_READ | PROT_WRITE,
                              MAP_SHARED, file, static_cast<off_t>(start));
    REQUIRE(view != MAP_FAILED);
    auto* const bytes = static_cast<std::byte*>(view) + (offset - start);
    CHECK(bytes[size - 1] == std::byte{77});
    bytes[0] = std::byte{78};
    CHECK(made[0] == std::byte{78});
    ::munmap(view, length);
    ::close(file);
    freed(made);
  }
}

TEST_CASE("dmabuf when the range is not one allocation's") {
  std::byte* const made = allocated(kLarge);
  const std::size_t pages = align_up(kLarge, 4096);
  int file = -1;
  std::size_t offset = 0;
  CHECK(export_dmabuf(made, pages + 1, &file, &offset) ==
        Status::kInvalidValue);
  CHECK(export_dmabuf(made, SIZE_MAX, &file, &offset) == Status::kInvalidValue);
  CHECK(export_dmabuf(made, 0, &file, &offset) == Status::kInvalidValue);
  CHECK(export_dmabuf(&file, 4, &file, &offset) == Status::kInvalidValue);
  CHECK(file == -1);
  REQUIRE(export_dmabuf(made + 4096, pages - 4096, &file, &offset) ==
          Status::kSuccess);
  CHECK(offset == 4096);
  ::close(file);
  freed(made);
}
