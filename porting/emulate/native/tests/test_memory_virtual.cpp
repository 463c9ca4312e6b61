// core/virtual_memory: ranges of addresses, memory, and what is mapped where.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "memory.h"
#include "memory_settings.h"
#include "memory_state.h"
#include "second_process.h"
#include "shadow.h"

using namespace eclosion::emulator;
using namespace eclosion::emulator::tests;

namespace {

constexpr std::size_t kUnit = VirtualMemory::kGranularity;

VirtualMemory& memory() { return VirtualMemory::get(); }

std::uintptr_t reserved(std::size_t size, std::uintptr_t wanted = 0) {
  std::uintptr_t base = 0;
  REQUIRE(memory().reserve(size, 0, wanted, &base) == Status::kSuccess);
  return base;
}

std::uint64_t created(std::size_t size, int device = 0) {
  std::uint64_t handle = 0;
  REQUIRE(memory().create(size, device, nullptr, &handle) == Status::kSuccess);
  return handle;
}

void mapped(std::uintptr_t at, std::size_t size, std::uint64_t handle) {
  REQUIRE(memory().map(at, size, 0, handle) == Status::kSuccess);
}

void opened(std::uintptr_t at, std::size_t size, unsigned flags = 3) {
  REQUIRE(memory().set_access(at, size, 0, flags) == Status::kSuccess);
}

void closed(std::uintptr_t at, std::size_t size) {
  REQUIRE(memory().unmap(at, size) == Status::kSuccess);
}

bool may_use(std::uintptr_t at, std::size_t size) {
  const Memory& all = Memory::get();
  return shadow_allows(all.shadow(), at - all.arena(), size);
}

std::size_t readable(std::uintptr_t at, std::size_t most) {
  return Memory::get().readable_mapped(reinterpret_cast<const void*>(at), most);
}

// Whether the kernel can read a byte there.
bool can_host_read(std::uintptr_t at) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const bool is_read = ::write(ends[1], reinterpret_cast<void*>(at), 1) == 1;
  ::close(ends[0]);
  ::close(ends[1]);
  return is_read;
}

std::byte* bytes_at(std::uintptr_t at) {
  return reinterpret_cast<std::byte*>(at);
}

}  // namespace

TEST_CASE("memory when it is mapped, opened, and unmapped") {
  const std::uintptr_t base = reserved(4 * kUnit);
  CHECK(base % kUnit == 0);
  CHECK_FALSE(may_use(base, 1));
  const std::uint64_t handle = created(2 * kUnit);
  CHECK(Memory::get().available(0) == kDeviceMemory - 2 * kUnit);
  mapped(base + kUnit, 2 * kUnit, handle);
  CHECK_FALSE(may_use(base + kUnit, 1));
  CHECK_FALSE(can_host_read(base + kUnit));
  const auto found = Memory::get().find(bytes_at(base + 3 * kUnit - 1));
  REQUIRE(found.has_value());
  CHECK(found->kind == MemoryKind::kVirtual);
  CHECK(found->flags == 0);
  opened(base + kUnit, 2 * kUnit);
  CHECK(may_use(base + kUnit, 2 * kUnit));
  CHECK(can_host_read(base + kUnit));
  CHECK_FALSE(may_use(base, 1));
  CHECK_FALSE(may_use(base + 3 * kUnit, 1));
  CHECK(bytes_at(base + kUnit)[5] == std::byte{0xCB});
  std::memset(bytes_at(base + kUnit), 1, 2 * kUnit);
  closed(base + kUnit, 2 * kUnit);
  CHECK_FALSE(may_use(base + kUnit, 1));
  CHECK_FALSE(Memory::get().find(bytes_at(base + kUnit)).has_value());
  CHECK(Memory::get().find_freed(bytes_at(base + kUnit), nullptr)->kind ==
        MemoryKind::kVirtual);
  // The handle keeps what was written, wherever it is mapped next.
  mapped(base, 2 * kUnit, handle);
  opened(base, 2 * kUnit);
  CHECK(bytes_at(base)[2 * kUnit - 1] == std::byte{1});
  closed(base, 2 * kUnit);
  CHECK(memory().release(handle) == Status::kSuccess);
  CHECK(Memory::get().available(0) == kDeviceMemory);
  CHECK(memory().free(base, 4 * kUnit) == Status::kSuccess);
}

TEST_CASE("memory when its handle is released before it is unmapped") {
  const std::uintptr_t base = reserved(kUnit);
  const std::uint64_t handle = created(kUnit);
  mapped(base, kUnit, handle);
  opened(base, kUnit);
  CHECK(memory().release(handle) == Status::kSuccess);
  CHECK(memory().release(handle) == Status::kInvalidValue);
  bytes_at(base)[0] = std::byte{9};
  CHECK(Memory::get().available(0) == kDeviceMemory - kUnit);
  // It can be had back, and each reference is released once.
  std::uint64_t again = 0;
  CHECK(memory().retain(base + 1, &again) == Status::kSuccess);
  CHECK(again == handle);
  CHECK(memory().retain(base, &again) == Status::kSuccess);
  CHECK(memory().release(again) == Status::kSuccess);
  int device = -1;
  std::size_t size = 0;
  CHECK(memory().device_of(again, &device, &size) == Status::kSuccess);
  CHECK(device == 0);
  CHECK(size == kUnit);
  CHECK(memory().release(again) == Status::kSuccess);
  closed(base, kUnit);
  CHECK(Memory::get().available(0) == kDeviceMemory);
  CHECK(memory().retain(base, &again) == Status::kInvalidValue);
  CHECK(memory().free(base, kUnit) == Status::kSuccess);
}

TEST_CASE("memory when it is mapped twice") {
  const std::uintptr_t base = reserved(2 * kUnit);
  const std::uint64_t handle = created(kUnit);
  mapped(base, kUnit, handle);
  mapped(base + kUnit, kUnit, handle);
  opened(base, 2 * kUnit);
  bytes_at(base)[100] = std::byte{44};
  CHECK(bytes_at(base + kUnit)[100] == std::byte{44});
  CHECK(memory().release(handle) == Status::kSuccess);
  closed(base, 2 * kUnit);
  CHECK(memory().free(base, 2 * kUnit) == Status::kSuccess);
}

TEST_CASE("mapping when the place or the memory is wrong") {
  const std::uintptr_t base = reserved(3 * kUnit);
  const std::uint64_t handle = created(2 * kUnit);
  const auto refused = [&](std::uintptr_t at, std::size_t size,
                           std::size_t offset, std::uint64_t of) {
    return memory().map(at, size, offset, of) == Status::kInvalidValue;
  };
  CHECK(refused(base, kUnit, 0, handle));
  CHECK(refused(base, kUnit, kUnit, handle));
  CHECK(refused(base + 4096, 2 * kUnit, 0, handle));
  CHECK(refused(base + 2 * kUnit, 2 * kUnit, 0, handle));
  CHECK(refused(base - kUnit, 2 * kUnit, 0, handle));
  CHECK(refused(base, 2 * kUnit, 0, handle + 1000));
  mapped(base, 2 * kUnit, handle);
  CHECK(refused(base, 2 * kUnit, 0, handle));
  CHECK(refused(base + kUnit, 2 * kUnit, 0, handle));
  // Parts of mappings, and what is not mapped.
  CHECK(memory().unmap(base, kUnit) == Status::kInvalidValue);
  CHECK(memory().unmap(base, 3 * kUnit) == Status::kInvalidValue);
  CHECK(memory().unmap(base + kUnit, kUnit) == Status::kInvalidValue);
  CHECK(memory().unmap(base, 0) == Status::kInvalidValue);
  CHECK(memory().set_access(base, kUnit, 0, 3) == Status::kInvalidValue);
  CHECK(memory().set_access(base, 3 * kUnit, 0, 3) == Status::kInvalidValue);
  CHECK(memory().set_access(base, 2 * kUnit, 0, 2) == Status::kInvalidValue);
  CHECK(memory().set_access(base, 2 * kUnit, kDevices, 3) ==
        Status::kInvalidDevice);
  CHECK(memory().free(base, 3 * kUnit) == Status::kInvalidValue);
  CHECK_FALSE(may_use(base, 1));
  closed(base, 2 * kUnit);
  CHECK(memory().free(base, kUnit) == Status::kInvalidValue);
  CHECK(memory().free(base, 3 * kUnit) == Status::kSuccess);
  CHECK(refused(base, 2 * kUnit, 0, handle));
  CHECK(memory().release(handle) == Status::kSuccess);
}

TEST_CASE("access when it ends with one of several mappings") {
  const std::uintptr_t base = reserved(4 * kUnit);
  const std::uint64_t handle = created(kUnit);
  for (const std::size_t at : {0, 1, 2}) {
    mapped(base + at * kUnit, kUnit, handle);
  }
  opened(base, kUnit, 3);
  opened(base + kUnit, kUnit, 1);
  CHECK(readable(base + 1, 8 * kUnit) == 2 * kUnit - 1);
  CHECK(readable(base + 1, kUnit) == kUnit);
  CHECK(readable(base + 2 * kUnit, 1) == 0);
  CHECK(readable(base + 3 * kUnit, 1) == 0);
  int host = 0;
  CHECK(readable(reinterpret_cast<std::uintptr_t>(&host), 1) == 0);
  closed(base, 3 * kUnit);
  CHECK(memory().release(handle) == Status::kSuccess);
  CHECK(memory().free(base, 4 * kUnit) == Status::kSuccess);
}

TEST_CASE("access when devices are given and denied it") {
  const std::uintptr_t base = reserved(kUnit);
  const std::uint64_t handle = created(kUnit, 1);
  mapped(base, kUnit, handle);
  unsigned flags = 9;
  CHECK(memory().get_access(base + 5, 1, &flags) == Status::kSuccess);
  CHECK(flags == 0);
  CHECK(memory().set_access(base, kUnit, 1, 1) == Status::kSuccess);
  CHECK(memory().get_access(base + 5, 1, &flags) == Status::kSuccess);
  CHECK(flags == 1);
  CHECK_FALSE(may_use(base, 1));
  CHECK(readable(base, kUnit) == kUnit);
  CHECK(Memory::get().find(bytes_at(base))->flags == 1);
  CHECK(memory().set_access(base, kUnit, 0, 3) == Status::kSuccess);
  CHECK(memory().get_access(base, 1, &flags) == Status::kSuccess);
  CHECK(flags == 1);
  CHECK(Memory::get().find(bytes_at(base))->flags == 3);
  CHECK(may_use(base, kUnit));
  opened(base, kUnit, 0);
  CHECK_FALSE(may_use(base, 1));
  CHECK(readable(base, kUnit) == kUnit);
  CHECK(memory().set_access(base, kUnit, 1, 0) == Status::kSuccess);
  CHECK(readable(base, 1) == 0);
  closed(base, kUnit);
  CHECK(memory().get_access(base, 1, &flags) == Status::kInvalidValue);
  CHECK(memory().release(handle) == Status::kSuccess);
  CHECK(memory().free(base, kUnit) == Status::kSuccess);
}

TEST_CASE("reservations when they grow and are freed in any order") {
  const auto free_bytes = [] { return memory_state().pages.bytes(); };
  const std::size_t before = free_bytes();
  const std::uintptr_t first = reserved(2 * kUnit);
  CHECK(reserved(kUnit, first + 2 * kUnit) == first + 2 * kUnit);
  CHECK(memory().free(first, 2 * kUnit) == Status::kSuccess);
  // Its place is free, up to the range that grew out of it.
  CHECK(reserved(2 * kUnit, first) == first);
  CHECK(memory().free(first, 2 * kUnit) == Status::kSuccess);
  CHECK(memory().free(first + 2 * kUnit, kUnit) == Status::kSuccess);
  CHECK(free_bytes() == before);
}

TEST_CASE("reservation when a place or an alignment is wanted") {
  const std::uintptr_t first = reserved(2 * kUnit);
  // Right behind it, as programs let a range grow.
  const std::uintptr_t second = reserved(kUnit, first + 2 * kUnit);
  CHECK(second == first + 2 * kUnit);
  // Not where something is.
  const std::uintptr_t third = reserved(kUnit, first);
  CHECK((third >= first + 3 * kUnit || third + kUnit <= first));
  std::uintptr_t aligned = 0;
  REQUIRE(memory().reserve(kUnit, 64 * kUnit, 0, &aligned) == Status::kSuccess);
  CHECK(aligned % (64 * kUnit) == 0);
  CHECK(memory().free(aligned, kUnit) == Status::kSuccess);
  CHECK(reserved(kUnit, aligned) == aligned);
  for (const auto& [base, size] :
       std::vector<std::pair<std::uintptr_t, std::size_t>>{{first, 2 * kUnit},
                                                           {second, kUnit},
                                                           {third, kUnit},
                                                           {aligned, kUnit}}) {
    CHECK(memory().free(base, size) == Status::kSuccess);
  }
  std::uintptr_t base = 0;
  CHECK(memory().reserve(0, 0, 0, &base) == Status::kInvalidValue);
  CHECK(memory().reserve(4096, 0, 0, &base) == Status::kInvalidValue);
  CHECK(memory().reserve(kUnit, 3 * kUnit, 0, &base) == Status::kInvalidValue);
  CHECK(memory().reserve(std::size_t{1} << 60, 0, 0, &base) ==
        Status::kOutOfMemory);
  CHECK(base == 0);
}

TEST_CASE("creation when the device has too little or the size is odd") {
  std::uint64_t handle = 0;
  CHECK(memory().create(kDeviceMemory + kUnit, 0, nullptr, &handle) ==
        Status::kOutOfMemory);
  CHECK(memory().create(kUnit + 1, 0, nullptr, &handle) ==
        Status::kInvalidValue);
  CHECK(memory().create(0, 0, nullptr, &handle) == Status::kInvalidValue);
  CHECK(memory().create(kUnit, kDevices, nullptr, &handle) ==
        Status::kInvalidDevice);
  const std::uint64_t most = created(kDeviceMemory);
  CHECK(memory().create(kUnit, 0, nullptr, &handle) == Status::kOutOfMemory);
  const std::uint64_t of_host = created(kUnit, -1);
  CHECK(memory().release(most) == Status::kSuccess);
  CHECK(memory().release(of_host) == Status::kSuccess);
  CHECK(Memory::get().available(0) == kDeviceMemory);
}

TEST_CASE("descriptors when they come back to the own process") {
  const std::uint64_t handle = created(kUnit);
  int file = -1;
  REQUIRE(memory().export_file(handle, &file) == Status::kSuccess);
  std::uint64_t other = 0;
  REQUIRE(memory().import_file(file, &other) == Status::kSuccess);
  CHECK(other != handle);
  // It is the same memory, counted once, and lives on by either handle.
  CHECK(Memory::get().available(0) == kDeviceMemory - kUnit);
  CHECK(memory().release(handle) == Status::kSuccess);
  CHECK(Memory::get().available(0) == kDeviceMemory - kUnit);
  CHECK(memory().release(other) == Status::kSuccess);
  CHECK(Memory::get().available(0) == kDeviceMemory);
  ::close(file);
  CHECK(memory().import_file(file, &other) == Status::kInvalidValue);
  CHECK(memory().import_file(0, &other) == Status::kInvalidValue);
  CHECK(memory().export_file(handle, &file) == Status::kInvalidValue);
  const int foreign = ::memfd_create("other", MFD_CLOEXEC);
  REQUIRE(::ftruncate(foreign, kUnit) == 0);
  CHECK(memory().import_file(foreign, &other) == Status::kInvalidValue);
  ::close(foreign);
}

TEST_CASE("second: maps a descriptor" * doctest::skip()) {
  Peer first = first_process();
  const int file = first.receive_file();
  std::uint64_t handle = 0;
  REQUIRE(memory().import_file(file, &handle) == Status::kSuccess);
  ::close(file);
  int device = -1;
  std::size_t size = 0;
  CHECK(memory().device_of(handle, &device, &size) == Status::kSuccess);
  CHECK(device == 1);
  CHECK(size == 2 * kUnit);
  CHECK(Memory::get().available(1) == kDeviceMemory);
  const std::uintptr_t base = reserved(size);
  mapped(base, size, handle);
  opened(base, size);
  CHECK(bytes_at(base)[size - 1] == std::byte{12});
  bytes_at(base)[0] = std::byte{13};
  first.send('d');
  first.receive<char>();
  // The first has given it up; it is still there.
  CHECK(bytes_at(base)[size - 1] == std::byte{12});
  // Onwards.
  int again = -1;
  CHECK(memory().export_file(handle, &again) == Status::kSuccess);
  ::close(again);
}

TEST_CASE("descriptors when they go to another process") {
  SecondProcess second("second: maps a descriptor");
  const std::uintptr_t base = reserved(2 * kUnit);
  const std::uint64_t handle = created(2 * kUnit, 1);
  mapped(base, 2 * kUnit, handle);
  CHECK(memory().set_access(base, 2 * kUnit, 1, 3) == Status::kSuccess);
  bytes_at(base)[2 * kUnit - 1] = std::byte{12};
  int file = -1;
  REQUIRE(memory().export_file(handle, &file) == Status::kSuccess);
  second.peer().send_file(file);
  ::close(file);
  CHECK(second.peer().receive<char>() == 'd');
  CHECK(bytes_at(base)[0] == std::byte{13});
  closed(base, 2 * kUnit);
  CHECK(memory().release(handle) == Status::kSuccess);
  CHECK(memory().free(base, 2 * kUnit) == Status::kSuccess);
  second.peer().send('g');
  CHECK(second.wait() == 0);
}
