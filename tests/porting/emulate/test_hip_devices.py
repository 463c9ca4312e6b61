"""HIP's devices on the emulator: what they say they are, filters, peers, contexts."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
#undef hipGetDeviceProperties
extern "C" hipError_t hipGetDeviceProperties(void*, int);
static int attribute(hipDeviceAttribute_t which) {
  int value = -1;
  T(hipDeviceGetAttribute(&value, which, 0));
  return value;
}
CASE(properties) {
  hipDeviceProp_tR0600 p;
  T(hipGetDevicePropertiesR0600(&p, 0));
  std::puts(p.gcnArchName);
  V(p.warpSize);
  V(p.totalGlobalMem >> 20);
  V(p.maxThreadsPerBlock);
  V(p.major * 10 + p.minor);
  V(std::strlen(p.name) > 3);
  char bus[16], uuid[16];
  T(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
  V(std::strlen(bus));
  int device = -1;
  T(hipDeviceGetByPCIBusId(&device, bus));
  V(device);
  T(hipDeviceGetUuid(reinterpret_cast<hipUUID*>(uuid), 0));
  V(std::memcmp(uuid, p.uuid.bytes, 16));
  T(hipGetDevicePropertiesR0600(&p, 7));
}
CASE(valid_devices) {
  int device = -1, list[] = {2, 1, 9};
  T(hipSetValidDevices(nullptr, 1));
  T(hipSetValidDevices(list, -1));
  T(hipSetValidDevices(list, 4));
  T(hipSetValidDevices(list, 3));
  T(hipSetValidDevices(nullptr, 0));
  T(hipGetDevice(&device));
  V(device);
  T(hipSetValidDevices(list, 2));
  T(hipGetDevice(&device));
  V(device);
  std::thread([] {
    int own = -1, other = 1;
    hipSetDevice(0);
    T(hipSetValidDevices(&other, 1));
    T(hipGetDevice(&own));
    V(own);
  }).join();
}
CASE(old_layout) {
  // hipDeviceProp_tR0000: the name, then the size of the memory.
  alignas(8) char old[2048];
  T(hipGetDeviceProperties(old, 0));
  size_t memory = 0;
  std::memcpy(&memory, old + 256, sizeof memory);
  V(memory >> 20);
}
CASE(attributes) {
  V(attribute(hipDeviceAttributeWarpSize));
  V(attribute(hipDeviceAttributeComputeCapabilityMajor));
  V(attribute(hipDeviceAttributeTotalGlobalMem));
  V(attribute(hipDeviceAttributePciDomainID));
  V(attribute(hipDeviceAttributeMemoryPoolsSupported));
  V(attribute(hipDeviceAttributeImageSupport));
  V(attribute(static_cast<hipDeviceAttribute_t>(5000)));
}
CASE(limits) {
  size_t value = 0;
  T(hipDeviceSetLimit(hipLimitStackSize, 4096));
  T(hipDeviceGetLimit(&value, hipLimitStackSize));
  V(value);
  T(hipDeviceGetLimit(&value, hipLimitPrintfFifoSize));
  T(hipDeviceGetLimit(nullptr, hipLimitStackSize));
}
CASE(count) {
  int n = 0;
  T(hipGetDeviceCount(&n));
  V(n);
  char bus[16];
  for (int i = 0; i < n; ++i) {
    (void)hipDeviceGetPCIBusId(bus, sizeof bus, i);
    std::puts(bus);
  }
}
CASE(current) {
  int d = -1;
  T(hipSetDevice(1));
  T(hipGetDevice(&d));
  V(d);
  std::thread([] { int own = -1; (void)hipGetDevice(&own); V(own); }).join();
  T(hipSetDevice(2));
  T(hipSetDevice(-1));
}
CASE(peers) {
  int can = -1;
  T(hipDeviceCanAccessPeer(&can, 0, 1));
  V(can);
  T(hipDeviceCanAccessPeer(&can, 1, 1));
  V(can);
  T(hipDeviceCanAccessPeer(&can, 0, 9));
  T(hipDeviceEnablePeerAccess(1, 0));
  T(hipDeviceEnablePeerAccess(1, 0));
  T(hipDeviceEnablePeerAccess(0, 0));
  T(hipDeviceEnablePeerAccess(1, 1));
  T(hipDeviceDisablePeerAccess(1));
  T(hipDeviceDisablePeerAccess(1));
}
CASE(two) {
  int *a, *b, h[2] = {3, 4};
  hipStream_t s;
  hipEvent_t e;
  T(hipMalloc(&a, 8));
  T(hipStreamCreate(&s));
  T(hipSetDevice(1));
  T(hipMalloc(&b, 8));
  hipPointerAttribute_t p;
  T(hipPointerGetAttributes(&p, a));
  V(p.device);
  T(hipMemcpy(a, h, 8, hipMemcpyDefault));
  T(hipMemcpyPeer(b, 1, a, 0, 8));
  h[1] = 0;
  T(hipMemcpy(h, b, 8, hipMemcpyDefault));
  V(h[1]);
  T(hipEventCreate(&e));
  T(hipEventRecord(e, s));
  T(hipMemcpyPeer(b, 1, a, 5, 8));
  int device = -1;
  T(hipStreamGetDevice(s, &device));
  V(device);
  V(hipGetStreamDeviceId(s));
}
CASE(contexts) {
  hipCtx_t one, now;
  int device = -1, active = -1;
  unsigned flags = 0;
  T(hipDevicePrimaryCtxGetState(1, &flags, &active));
  V(active);
  T(hipCtxCreate(&one, 0, 1));
  T(hipCtxGetDevice(&device));
  V(device);
  T(hipDevicePrimaryCtxGetState(1, &flags, &active));
  V(active);
  T(hipCtxPopCurrent(&now));
  V(now == one);
  T(hipCtxGetDevice(&device));
  V(device);
  T(hipCtxPopCurrent(&now));
  T(hipCtxSetCurrent(reinterpret_cast<hipCtx_t>(8)));
  T(hipDevicePrimaryCtxSetFlags(0, 0));
  T(hipDevicePrimaryCtxRelease(1));
}
CASE(entry_points) {
  void* f = nullptr;
  hipDriverProcAddressQueryResult r;
  T(hipGetProcAddress("hipGetDeviceProperties", &f, 602, 0, &r));
  V(f == reinterpret_cast<void*>(hipGetDevicePropertiesR0600));
  T(hipGetProcAddress("hipGetDeviceProperties", &f, 507, 0, &r));
  V(f == reinterpret_cast<void*>(hipGetDeviceProperties));
  T(hipGetProcAddress("hipStreamQuery", &f, 701, hipEnablePerThreadDefaultStream, &r));
  V(f == reinterpret_cast<void*>(hipStreamQuery_spt));
  T(hipGetProcAddress("hipNothing", &f, 701, 0, &r));
  V(r == HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}
CASE(reset) {
  void* p = nullptr;
  size_t free = 0, total = 0;
  T(hipMalloc(&p, 1 << 20));
  T(hipDeviceReset());
  T(hipMemGetInfo(&free, &total));
  V(free == total);
  T(hipFree(p));
}
"""
OK = "hipSuccess"
INVALID = "hipErrorInvalidValue"
DEVICE = "hipErrorInvalidDevice"


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("devices"), CASES)


def test_valid_devices_when_a_thread_has_chosen_none_give_its_device(program: Program) -> None:
    """hip_runtime_api.h: "List of devices to try"; the first of them, unless one was set."""
    ok, value = "hipSuccess", "hipErrorInvalidValue"
    assert program.on(devices=3).run("valid_devices").lines == [
        *(value, value, value, "hipErrorInvalidDevice"),
        *(ok, ok, "0", ok, ok, "2", ok, ok, "0"),
    ]


def test_properties_when_asked_for(program: Program) -> None:
    assert program.on(memory="2G").run("properties").lines == [
        *(OK, "gfx942:sramecc+:xnack-", "64", "2048", "1024", "94", "1"),
        *(OK, "12", OK, "0", OK, "0", DEVICE),
    ]


def test_properties_when_asked_by_the_plain_symbol(program: Program) -> None:
    """hip_deprecated.h: hipDeviceProp_tR0000; hip_runtime_api.h renames the newer function."""
    assert program.on(memory="2G").run("old_layout").lines == [OK, "2048"]


def test_attributes_when_asked_for(program: Program) -> None:
    """MI300 has no images; a size beyond an int is its largest; hipErrorInvalidValue."""
    lines = program.on(memory="16G").run("attributes").lines
    assert lines == [
        *(OK, "64", OK, "9", OK, str(2**31 - 1)),
        *(OK, "0", OK, "1", OK, "0"),
        *(INVALID, "-1"),
    ]


def test_limits_when_not_supported(program: Program) -> None:
    """hip_runtime_api.h, hipLimit_t: printf's buffer is "currently not supported"."""
    assert program.run("limits").lines == [OK, OK, "4096", "hipErrorUnsupportedLimit", INVALID]


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        ({}, [0, 1, 2, 3]),
        ({"HIP_VISIBLE_DEVICES": "2,0"}, [2, 0]),
        ({"CUDA_VISIBLE_DEVICES": "3"}, [3]),
        ({"HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "3"}, [1]),
        ({"ROCR_VISIBLE_DEVICES": "3,1", "HIP_VISIBLE_DEVICES": "1"}, [1]),
        ({"ROCR_VISIBLE_DEVICES": "3,1", "HIP_VISIBLE_DEVICES": "1,2,0"}, [1]),
        ({"HIP_VISIBLE_DEVICES": "1,9,2"}, [1]),
    ],
)
def test_devices_when_filtered(program: Program, filters: dict[str, str], shown: list[int]) -> None:
    """ROCm documentation, "GPU isolation techniques": the lower filter renumbers."""
    all_four = program.on(devices=4).run("count").lines
    assert all_four[:2] == [OK, "4"]
    lines = program.on(filters, devices=4).run("count").lines
    assert lines == [OK, str(len(shown)), *(all_four[2 + one] for one in shown)]


def test_devices_when_all_are_hidden(program: Program) -> None:
    lines = program.on({"HIP_VISIBLE_DEVICES": "-1"}, devices=4).run("count").lines
    assert lines == ["hipErrorNoDevice", "0"]


def test_current_device_when_a_thread_begins(program: Program) -> None:
    assert program.on(devices=2).run("current").lines == [OK, OK, "1", "0", DEVICE, DEVICE]


def test_peers_when_enabled_and_disabled(program: Program) -> None:
    """hip_runtime_api.h, hipDeviceCanAccessPeer: "a device is not a peer of itself"."""
    assert program.on(devices=2).run("peers").lines == [
        *(OK, "1", OK, "0", DEVICE),
        *(OK, "hipErrorPeerAccessAlreadyEnabled", DEVICE, INVALID),
        *(OK, "hipErrorPeerAccessNotEnabled"),
    ]


def test_two_devices_when_they_copy_and_record(program: Program) -> None:
    """hip_runtime_api.h, hipEventRecord: the event and the stream are of one device."""
    assert program.on(devices=2).run("two").lines == [
        *(OK, OK, OK, OK, OK, "0"),
        *(OK, OK, OK, "4"),
        *(OK, "hipErrorInvalidHandle", DEVICE, OK, "0", "0"),
    ]


def test_contexts_when_made_and_popped(program: Program) -> None:
    """hip_runtime_api.h: deprecated; hipDevicePrimaryCtxSetFlags: hipErrorContextAlreadyInUse."""
    context = "hipErrorInvalidContext"
    assert program.on(devices=2).run("contexts").lines == [
        *(OK, "0", OK, OK, "1", OK, "1"),
        *(OK, "1", OK, "0", context, context, "hipErrorContextAlreadyInUse", OK),
    ]


def test_entry_points_when_asked_by_release(program: Program) -> None:
    """hip_runtime_api.h, hipGetProcAddress: 100 times the major and the minor release."""
    assert program.run("entry_points").lines == [
        *(OK, "1", OK, "1", OK, "1", "hipErrorNotFound", "1"),
    ]


def test_memory_when_the_device_is_reset(program: Program) -> None:
    lines = program.run("reset").lines
    assert lines == [OK, OK, OK, "1", "hipErrorInvalidDevicePointer"]
