"""HIP's memory on the emulator: allocations, copies, fills, attributes of pointers."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
CASE(free) {
  void *d = nullptr, *h = nullptr;
  T(hipMalloc(&d, 100));
  T(hipHostMalloc(&h, 100));
  T(hipFree(h));
  T(hipHostFree(d));
  T(hipFree(static_cast<char*>(d) + 1));
  T(hipFree(d));
  T(hipFree(d));
  T(hipFree(nullptr));
  T(hipHostFree(h));
}
CASE(nothing) {
  void* d = reinterpret_cast<void*>(1);
  T(hipMalloc(&d, 0));
  V(d == nullptr);
  T(hipMalloc(nullptr, 8));
  T(hipMallocManaged(&d, 8, 9));
}
CASE(exhausted) {
  void *one = nullptr, *two = nullptr;
  T(hipMalloc(&one, 600 << 20));
  T(hipMalloc(&two, 600 << 20));
  size_t free = 0, total = 0;
  T(hipMemGetInfo(&free, &total));
  V(free >> 20);
  V(total >> 20);
  T(hipFree(one));
  T(hipMalloc(&two, 600 << 20));
}
CASE(copy) {
  int from[4] = {1, 2, 3, 4}, to[4] = {};
  int* d = nullptr;
  T(hipMalloc(&d, sizeof from));
  T(hipMemcpy(d, from, sizeof from, hipMemcpyHostToDevice));
  T(hipMemcpy(to, d, sizeof to, hipMemcpyDefault));
  V(to[3]);
  T(hipMemcpy(to, from, 8, hipMemcpyHostToDevice));
  T(hipMemcpy(to, from, 8, hipMemcpyHostToHost));
  T(hipMemcpy(to, d, 8, static_cast<hipMemcpyKind>(77)));
  T(hipMemcpy(to, d, 8, hipMemcpyHostToDevice));
  T(hipMemcpy(nullptr, d, 8, hipMemcpyDefault));
  T(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDefault));
}
CASE(overrun) {
  char to[128];
  void* d = nullptr;
  T(hipMalloc(&d, 100));
  T(hipMemcpy(to, d, 101, hipMemcpyDeviceToHost));
  T(hipMemset(static_cast<char*>(d) + 90, 0, 11));
  T(hipFree(d));
  T(hipMemcpy(to, d, 1, hipMemcpyDeviceToHost));
}
CASE(planes) {
  unsigned char host[6 * 4] = {}, back[4 * 4] = {};
  for (int i = 0; i < 24; ++i) host[i] = static_cast<unsigned char>(i);
  void* d = nullptr;
  size_t pitch = 0;
  T(hipMallocPitch(&d, &pitch, 4, 4));
  V(pitch);
  T(hipMemcpy2D(d, pitch, host + 1, 6, 4, 4, hipMemcpyHostToDevice));
  T(hipMemset2D(d, pitch, 99, 2, 2));
  T(hipMemcpy2D(back, 4, d, pitch, 4, 4, hipMemcpyDeviceToHost));
  for (int i = 0; i < 16; i += 3) V(back[i]);
  T(hipMemcpy2D(back, 3, d, pitch, 4, 4, hipMemcpyDeviceToHost));
}
CASE(boxes) {
  hipPitchedPtr d{};
  T(hipMalloc3D(&d, hipExtent{8, 4, 2}));
  T(hipMemset3D(d, 7, hipExtent{8, 4, 2}));
  unsigned char back[8 * 4 * 2] = {};
  hipMemcpy3DParms p{};
  p.srcPtr = d;
  p.srcPos = {2, 1, 1};
  p.dstPtr = make_hipPitchedPtr(back, 8, 8, 4);
  p.dstPos = {0, 0, 1};
  p.extent = {3, 2, 1};
  p.kind = hipMemcpyDeviceToHost;
  T(hipMemcpy3D(&p));
  int sum = 0;
  for (unsigned char one : back) sum += one;
  V(sum);
  V(back[32]);
  V(back[35]);
}
CASE(words) {
  unsigned short back[4] = {};
  int ints[2] = {};
  void* d = nullptr;
  T(hipMalloc(&d, 8));
  T(hipMemsetD16(d, 0x1234, 4));
  T(hipMemcpyDtoH(back, d, 8));
  V(back[3]);
  T(hipMemsetD32Async(d, -2, 2, nullptr));
  T(hipMemcpyDtoH(ints, d, 8));
  V(ints[1]);
}
CASE(attributes) {
  int here = 0;
  void *d = nullptr, *h = nullptr, *m = nullptr;
  hipPointerAttribute_t a{};
  T(hipMalloc(&d, 100));
  T(hipHostMalloc(&h, 100, hipHostMallocPortable));
  T(hipMallocManaged(&m, 100));
  T(hipPointerGetAttributes(&a, static_cast<char*>(d) + 5));
  V(a.type == hipMemoryTypeDevice && a.devicePointer == static_cast<char*>(d) + 5);
  V(a.hostPointer == nullptr);
  T(hipPointerGetAttributes(&a, h));
  V(a.type == hipMemoryTypeHost && a.hostPointer == h);
  V(a.allocationFlags);
  T(hipPointerGetAttributes(&a, m));
  V(a.type == hipMemoryTypeManaged && a.isManaged);
  T(hipPointerGetAttributes(&a, &here));
  T(hipPointerGetAttributes(&a, nullptr));
  T(hipPointerGetAttributes(nullptr, d));
}
CASE(ranges) {
  void *d = nullptr, *base = nullptr;
  size_t size = 0;
  T(hipMalloc(&d, 100));
  T(hipMemGetAddressRange(&base, &size, static_cast<char*>(d) + 99));
  V(base == d && size == 100);
  T(hipMemGetAddressRange(&base, &size, &size));
  unsigned id = 0;
  T(hipPointerGetAttribute(&id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, d));
  V(id != 0);
  T(hipPointerGetAttribute(&id, HIP_POINTER_ATTRIBUTE_P2P_TOKENS, d));
}
CASE(registered) {
  static char buffer[8192];
  void* d = nullptr;
  T(hipHostRegister(buffer, sizeof buffer, hipHostRegisterMapped));
  T(hipHostRegister(buffer, sizeof buffer, 0));
  T(hipHostGetDevicePointer(&d, buffer, 0));
  V(d == buffer);
  T(hipHostUnregister(buffer));
  T(hipHostUnregister(buffer));
  T(hipHostRegister(buffer, sizeof buffer, hipHostRegisterIoMemory));
}
CASE(managed) {
  void *m = nullptr, *d = nullptr;
  int place = 0;
  T(hipMallocManaged(&m, 4096));
  T(hipMalloc(&d, 4096));
  T(hipMemAdvise(m, 4096, hipMemAdviseSetPreferredLocation, 0));
  T(hipMemRangeGetAttribute(&place, sizeof place, hipMemRangeAttributePreferredLocation, m, 4096));
  V(place);
  const auto last = hipMemRangeAttributeLastPrefetchLocation;
  T(hipMemRangeGetAttribute(&place, sizeof place, last, m, 4096));
  V(place == hipInvalidDeviceId);
  T(hipMemPrefetchAsync(m, 4096, 0, nullptr));
  T(hipMemAdvise(d, 4096, hipMemAdviseSetReadMostly, 0));
}
CASE(pools) {
  hipStream_t s;
  void* p = nullptr;
  uint64_t used = 0;
  hipMemPool_t pool;
  T(hipStreamCreate(&s));
  T(hipDeviceGetDefaultMemPool(&pool, 0));
  T(hipMallocAsync(&p, 1 << 20, s));
  T(hipMemsetAsync(p, 1, 1 << 20, s));
  T(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  V(used);
  T(hipFreeAsync(p, s));
  T(hipStreamSynchronize(s));
  T(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  V(used);
  T(hipMemPoolDestroy(pool));
  T(hipFreeAsync(nullptr, s));
  used = 1;
  T(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &used));
}
"""
OK = "hipSuccess"
INVALID = "hipErrorInvalidValue"


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("memory"), CASES)


def test_free_when_the_address_is_of_the_other_kind(program: Program) -> None:
    """hip_runtime_api.h, hipFree and hipHostFree: each has another word for it."""
    pointer = "hipErrorInvalidDevicePointer"
    assert program.run("free").lines == [
        *(OK, OK, pointer, INVALID, pointer, OK, pointer, OK, OK),
    ]


def test_allocation_when_nothing_is_asked_for(program: Program) -> None:
    """hip_runtime_api.h, hipMalloc: "*ptr returns nullptr, and hipSuccess is returned"."""
    assert program.run("nothing").lines == [OK, "1", INVALID, INVALID]


def test_allocation_when_the_device_is_full(program: Program) -> None:
    lines = program.on(memory="1G").run("exhausted").lines
    assert lines == [OK, "hipErrorOutOfMemory", OK, "424", "1024", OK, OK]


def test_copy_when_kinds_do_not_fit(program: Program) -> None:
    """HIP heeds the kind only between two places of the host, where CUDA heeds it always."""
    direction = "hipErrorInvalidMemcpyDirection"
    assert program.run("copy").lines == [
        *(OK, OK, OK, "4", INVALID, OK, direction, OK, INVALID, OK),
    ]


def test_copy_when_it_leaves_an_allocation(program: Program) -> None:
    ran = program.run("overrun")
    assert ran.lines == [OK, INVALID, INVALID, OK, INVALID]
    assert [finding["code"] for finding in ran.findings] == ["EMU001", "EMU001", "EMU002"]


def test_planes_when_copied_and_filled(program: Program) -> None:
    lines = program.run("planes").lines
    assert lines[:5] == [OK, "256", OK, OK, OK]
    rows = [[99, 99, 3, 4], [99, 99, 9, 10], [13, 14, 15, 16], [19, 20, 21, 22]]
    flat = [value for row in rows for value in row]
    assert lines[5:-1] == [str(flat[at]) for at in range(0, 16, 3)]
    assert lines[-1] == "hipErrorInvalidPitchValue"


def test_boxes_when_copied_and_filled(program: Program) -> None:
    assert program.run("boxes").lines == [OK, OK, OK, str(7 * 6), "7", "0"]


def test_fills_when_elements_are_words(program: Program) -> None:
    assert program.run("words").lines == [OK, OK, OK, str(0x1234), OK, OK, "-2"]


@pytest.mark.parametrize(("release", "null"), [("7.0", OK), ("6.4", INVALID)])
def test_attributes_when_asked_of_each_kind(program: Program, release: str, null: str) -> None:
    """hip_runtime_api.h: unknown is an error; "HIP API 7.0 changes": null is none any more."""
    lines = program.on(release=release).run("attributes").lines
    assert lines == [
        *(OK, OK, OK),
        *(OK, "1", "1"),
        *(OK, "1", "1"),
        *(OK, "1"),
        *(INVALID, null, null),
    ]


def test_ranges_when_asked_for(program: Program) -> None:
    """hip_runtime_api.h, hipMemGetAddressRange: hipErrorNotFound."""
    assert program.run("ranges").lines == [
        *(OK, OK, "1", "hipErrorNotFound", OK, "1", "hipErrorNotSupported"),
    ]


def test_registration_when_done_twice(program: Program) -> None:
    """hip_runtime_api.h, hipHostRegisterIoMemory: "Not supported."."""
    assert program.run("registered").lines == [
        *(OK, "hipErrorHostMemoryAlreadyRegistered", OK, "1"),
        *(OK, "hipErrorHostMemoryNotRegistered", "hipErrorNotSupported"),
    ]


def test_advice_when_memory_is_not_managed(program: Program) -> None:
    """hip_runtime_api.h, hipMemAdvise: "must refer to managed memory"."""
    assert program.run("managed").lines == [OK, OK, OK, OK, "0", OK, "1", OK, INVALID]


@pytest.mark.parametrize(("release", "null"), [("7.0", OK), ("6.4", INVALID)])
def test_pools_when_used_and_freed(program: Program, release: str, null: str) -> None:
    """See "HIP API 7.0 changes", "Update hipFreeAsync"; hipMemPoolAttr: reset to zero only."""
    lines = program.on(release=release).run("pools").lines
    assert lines == [
        *(OK, OK, OK, OK, OK, str(1 << 20), OK, OK, OK, "0"),
        *(INVALID, null, INVALID),
    ]
