"""HIP's memory that is freed by the wrong side or under a copy; handles that are had twice."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__global__ void frees(void* p) { free(p); }
__global__ void gives(void** out) { *out = malloc(16); }
constexpr std::size_t kSize = 32 << 20;
template <typename Free>
void copy_from_pinned(int device, Free release) {
  T(hipSetDevice(device));
  char *pinned, *memory, back = 0;
  T(hipHostMalloc(&pinned, kSize));
  T(hipMalloc(&memory, kSize));
  std::memset(pinned, 7, kSize);
  T(hipMemcpyAsync(memory, pinned, kSize, hipMemcpyHostToDevice, nullptr));
  T(hipSetDevice(0));
  T(release(pinned));
  T(hipMemcpy(&back, memory + kSize - 1, 1, hipMemcpyDeviceToHost));
  V(back);
}
CASE(freed) { copy_from_pinned(0, hipHostFree); }
CASE(freed_by_its_other_name) { copy_from_pinned(0, hipFreeHost); }
CASE(freed_from_another_device) { copy_from_pinned(1, hipHostFree); }
CASE(device_frees_the_hosts) {
  void* p;
  T(hipMalloc(&p, 64));
  frees<<<1, 1>>>(p);
  T(hipDeviceSynchronize());
}
CASE(host_frees_the_devices) {
  void** out;
  T(hipMallocManaged(&out, sizeof *out));
  gives<<<1, 1>>>(out);
  T(hipDeviceSynchronize());
  void* const p = *out;
  T(hipFree(p));
  T(hipFreeAsync(p, nullptr));
  frees<<<1, 1>>>(p);
  T(hipDeviceSynchronize());
}
CASE(handles) {
  hipFunction_t one, same, other;
  T(hipGetFuncBySymbol(&one, reinterpret_cast<void*>(frees)));
  T(hipGetFuncBySymbol(&same, reinterpret_cast<void*>(frees)));
  T(hipGetFuncBySymbol(&other, reinterpret_cast<void*>(gives)));
  V(one == same);
  V(one == other);
}
void called(void* data) { ++*static_cast<int*>(data); }
CASE(host_nodes) {
  int count = 0;
  hipStream_t stream;
  hipGraph_t graph;
  T(hipStreamCreate(&stream));
  T(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  T(hipLaunchHostFunc(stream, called, &count));
  T(hipStreamEndCapture(stream, &graph));
  hipGraphNode_t node;
  std::size_t nodes = 1;
  T(hipGraphGetNodes(graph, &node, &nodes));
  V(nodes);
  hipHostNodeParams p{};
  T(hipGraphHostNodeGetParams(node, &p));
  V(p.fn == called && p.userData == &count);
}
CASE(versions) {
  int runtime = 0, driver = 0;
  T(hipRuntimeGetVersion(&runtime));
  T(hipDriverGetVersion(&driver));
  V(runtime / 100000);
  V(driver / 100000);
  V(runtime == HIP_VERSION);
}
"""
OK = "hipSuccess"


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("memory_faults"), CASES)


@pytest.mark.parametrize("case", ["freed", "freed_by_its_other_name", "freed_from_another_device"])
def test_pinned_memory_when_a_copy_still_uses_it(program: Program, case: str) -> None:
    """hip_runtime_api.h, hipHostFree: "performs an implicit hipDeviceSynchronize() call"."""
    late = program.on({"ECLOSION_EMULATOR_DELAY_US": "100000"}, devices=2)
    ran = late.run(case, succeeds=False)
    assert ran.findings == []
    assert ran.lines == [*[OK] * 7, "7"]


def test_memory_of_the_host_when_device_code_frees_it(program: Program) -> None:
    ran = program.run("device_frees_the_hosts")
    assert ran.lines == [OK, "hipErrorLaunchFailure"]
    assert [(one["code"], one["text"]) for one in ran.findings] == [
        ("EMU012", "free of what the host allocated")
    ]


def test_memory_of_device_code_when_the_host_frees_it(program: Program) -> None:
    ran = program.run("host_frees_the_devices")
    assert ran.lines == [OK, OK, "hipErrorInvalidDevicePointer", "hipErrorInvalidValue", OK]
    assert ran.findings == []


def test_a_function_when_its_handle_is_had_twice(program: Program) -> None:
    assert program.run("handles").lines == [OK, OK, OK, "1", "0"]


def test_a_call_of_the_host_when_it_is_captured(program: Program) -> None:
    assert program.run("host_nodes").lines == [*[OK] * 5, "1", OK, "1"]


@pytest.mark.parametrize(("release", "is_built"), [("7.1", "1"), ("6.4", "0")])
def test_versions_when_another_release_is_shown(
    program: Program, release: str, is_built: str
) -> None:
    shown = "".join(f"{int(part):02}" for part in release.split(".")).lstrip("0")
    lines = program.on(release=release).run("versions").lines
    assert lines == [OK, OK, shown, shown, is_built]
