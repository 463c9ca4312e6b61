"""HIP's memory that is mapped and shared, on the emulator: ranges, descriptors, other processes."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
static hipMemAllocationProp pinned() {
  hipMemAllocationProp p{};
  p.type = hipMemAllocationTypePinned;
  p.location = {hipMemLocationTypeDevice, 0};
  p.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  return p;
}
static const hipMemAccessDesc both = {{hipMemLocationTypeDevice, 0},
                                      hipMemAccessFlagsProtReadWrite};
CASE(ranges) {
  hipMemAllocationProp p = pinned();
  size_t unit = 0;
  void* at = nullptr;
  hipMemGenericAllocationHandle_t one, two, again;
  T(hipMemGetAllocationGranularity(&unit, &p, hipMemAllocationGranularityMinimum));
  T(hipMemAddressReserve(&at, 4 * unit, 0, nullptr, 0));
  T(hipMemCreate(&one, unit, &p, 0));
  T(hipMemCreate(&two, unit, &p, 0));
  T(hipMemMap(at, unit, 0, one, 0));
  char* second = static_cast<char*>(at) + unit;
  T(hipMemMap(second, unit, 0, two, 0));
  T(hipMemset(at, 1, unit));
  T(hipMemSetAccess(at, 2 * unit, &both, 1));
  T(hipMemset(at, 1, 2 * unit));
  unsigned long long flags = 0;
  T(hipMemGetAccess(&flags, &both.location, second));
  V(flags);
  T(hipMemRetainAllocationHandle(&again, second));
  T(hipMemRelease(again));
  T(hipMemRelease(one));
  T(hipMemRelease(one));
  char back = 0;
  T(hipMemcpy(&back, at, 1, hipMemcpyDeviceToHost));
  V(back);
  T(hipMemUnmap(at, 2 * unit));
  T(hipMemRelease(two));
  T(hipMemAddressFree(at, 4 * unit));
  p.location.id = 5;
  T(hipMemCreate(&one, unit, &p, 0));
  p = pinned();
  T(hipMemCreate(&one, unit, &p, 1));
  p.requestedHandleType = hipMemHandleTypeWin32;
  T(hipMemCreate(&one, unit, &p, 0));
}
static void import(bool is_by_address) {
  hipMemAllocationProp p = pinned();
  size_t unit = 0;
  void *at = nullptr, *other = nullptr;
  hipMemGenericAllocationHandle_t one, imported;
  (void)hipMemGetAllocationGranularity(&unit, &p, hipMemAllocationGranularityMinimum);
  (void)hipMemAddressReserve(&at, 2 * unit, 0, nullptr, 0);
  (void)hipMemCreate(&one, unit, &p, 0);
  int file = -1;
  T(hipMemExportToShareableHandle(&file, one, hipMemHandleTypePosixFileDescriptor, 0));
  void* handle = &file;
  if (!is_by_address) handle = reinterpret_cast<void*>(intptr_t{file});
  T(hipMemImportFromShareableHandle(&imported, handle, hipMemHandleTypePosixFileDescriptor));
  other = static_cast<char*>(at) + unit;
  T(hipMemMap(at, unit, 0, one, 0));
  T(hipMemMap(other, unit, 0, imported, 0));
  T(hipMemSetAccess(at, 2 * unit, &both, 1));
  T(hipMemset(at, 9, unit));
  char back = 0;
  T(hipMemcpy(&back, other, 1, hipMemcpyDeviceToHost));
  V(back);
}
CASE(import_by_value) { import(false); }
CASE(import_by_address) { import(true); }
CASE(dmabuf) {
  char* d = nullptr;
  int file = -1;
  T(hipMalloc(reinterpret_cast<void**>(&d), 1 << 20));
  T(hipMemset(d, 6, 1 << 20));
  T(hipMemGetHandleForAddressRange(&file, d, 1 << 20, hipMemRangeHandleTypeDmaBufFd, 0));
  char* seen = static_cast<char*>(mmap(nullptr, 1 << 20, PROT_READ, MAP_SHARED, file, 0));
  V(seen[12345]);
  T(hipMemGetHandleForAddressRange(&file, &d, 8, hipMemRangeHandleTypeDmaBufFd, 0));
  T(hipMemGetHandleForAddressRange(&file, d, 0, hipMemRangeHandleTypeDmaBufFd, 0));
}
// The child begins before the parent has used a device, so both may.
static void with_child(void (*parent)(int), void (*child)(int)) {
  int pair[2];
  (void)socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  if (fork() == 0) {
    child(pair[1]);
    std::fflush(stdout);
    _exit(0);
  }
  parent(pair[0]);
  wait(nullptr);
}
template <typename Value> static void put(int to, Value value) {
  (void)write(to, &value, sizeof value);
}
template <typename Value> static Value take(int from) {
  Value value{};
  (void)read(from, &value, sizeof value);
  return value;
}
CASE(processes) {
  with_child(
      [](int peer) {
        int* d = nullptr;
        hipIpcMemHandle_t handle{};
        (void)hipMalloc(reinterpret_cast<void**>(&d), 64);
        (void)hipMemset(d, 2, 64);
        (void)hipDeviceSynchronize();
        T(hipIpcGetMemHandle(&handle, d));
        void* again = nullptr;
        T(hipIpcOpenMemHandle(&again, handle, hipIpcMemLazyEnablePeerAccess));
        std::fflush(stdout);
        put(peer, handle);
        (void)take<char>(peer);
        unsigned char back = 0;
        T(hipMemcpy(&back, d, 1, hipMemcpyDeviceToHost));
        V(back);
      },
      [](int peer) {
        const auto handle = take<hipIpcMemHandle_t>(peer);
        void* d = nullptr;
        T(hipIpcOpenMemHandle(&d, handle, 0));
        T(hipIpcOpenMemHandle(&d, handle, hipIpcMemLazyEnablePeerAccess));
        unsigned char back = 0;
        T(hipMemcpy(&back, d, 1, hipMemcpyDeviceToHost));
        V(back);
        T(hipMemset(d, 8, 1));
        T(hipDeviceSynchronize());
        T(hipIpcCloseMemHandle(d));
        T(hipIpcCloseMemHandle(d));
        std::fflush(stdout);
        put(peer, 'x');
      });
}
CASE(events) {
  with_child(
      [](int peer) {
        hipEvent_t own, plain;
        hipIpcEventHandle_t handle{};
        (void)hipEventCreateWithFlags(&own, hipEventInterprocess | hipEventDisableTiming);
        (void)hipEventCreate(&plain);
        T(hipIpcGetEventHandle(&handle, plain));
        T(hipIpcGetEventHandle(&handle, own));
        T(hipEventRecord(own, nullptr));
        std::fflush(stdout);
        put(peer, handle);
      },
      [](int peer) {
        const auto handle = take<hipIpcEventHandle_t>(peer);
        hipEvent_t other;
        T(hipIpcOpenEventHandle(&other, handle));
        T(hipEventSynchronize(other));
        T(hipEventQuery(other));
      });
}
"""
OK = "hipSuccess"
INVALID = "hipErrorInvalidValue"


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("sharing"), CASES)


def test_ranges_when_mapped_and_released(program: Program) -> None:
    """hip_runtime_api.h: flags "must be zero"; memory lives as long as it is mapped."""
    assert program.run("ranges").lines == [
        *([OK] * 6),
        *(INVALID, OK, OK, OK, "3"),
        *(OK, OK, OK, INVALID, OK, "1"),
        *(OK, OK, OK, INVALID, INVALID, "hipErrorNotSupported"),
    ]


@pytest.mark.parametrize(
    ("release", "case"), [("7.1", "import_by_value"), ("7.0", "import_by_address")]
)
def test_import_when_the_descriptor_is_given(program: Program, release: str, case: str) -> None:
    """PyTorch's c10/cuda/CUDACachingAllocator.cpp: the number from ROCm 7.1 on."""
    assert program.on(release=release).run(case).lines == [*([OK] * 7), "9"]


def test_dmabuf_when_of_an_allocation(program: Program) -> None:
    assert program.run("dmabuf").lines == [OK, OK, OK, "6", INVALID, INVALID]


def test_memory_when_another_process_opens_it(program: Program) -> None:
    """hip_runtime_api.h: hipIpcOpenMemHandle gives hipErrorInvalidContext in its own process."""
    assert program.run("processes").lines == [
        *(OK, "hipErrorInvalidContext"),
        *(INVALID, OK, OK, "2", OK, OK, OK, INVALID),
        *(OK, "8"),
    ]


def test_events_when_another_process_opens_them(program: Program) -> None:
    """hip_runtime_api.h, hipIpcGetEventHandle: hipErrorInvalidConfiguration."""
    assert program.run("events").lines == [
        *("hipErrorInvalidConfiguration", OK, OK),
        *(OK, OK, OK),
    ]
