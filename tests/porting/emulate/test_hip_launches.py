"""Launches of HIP kernels on the emulator: what is refused, what a fault does, by release."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__constant__ int factors[4];
__device__ int total;
__managed__ int managed = 5;
namespace {
__global__ void scale(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] * factors[1];
}
}
extern "C" __global__ void add(int by) {
  atomicAdd(&total, by);
  if (threadIdx.x == 0 && blockIdx.x == 0) ++managed;
}
__global__ void reverse(int* data, int n) {
  extern __shared__ int all[];
  all[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = all[n - 1 - threadIdx.x];
}
__global__ void lanes(int* to) { to[0] = warpSize; }
__global__ void overrun(int* data) { data[1000] = 1; }
static void launch(const void* kernel, dim3 grid, dim3 block, void** values, hipStream_t s = 0) {
  T(hipLaunchKernel(kernel, grid, block, values, 0, s));
}
CASE(kernels) {
  int host[3] = {1, 2, 3}, four[4] = {0, 7, 0, 0};
  int *a, *b;
  T(hipMalloc(&a, 12));
  T(hipMalloc(&b, 12));
  T(hipMemcpy(a, host, 12, hipMemcpyHostToDevice));
  T(hipMemcpyToSymbol(HIP_SYMBOL(factors), four, sizeof four));
  scale<<<1, 64>>>(b, a, 3);
  T(hipMemcpy(host, b, 12, hipMemcpyDeviceToHost));
  V(host[2]);
  reverse<<<1, 3, 12>>>(b, 3);
  T(hipMemcpy(host, b, 12, hipMemcpyDeviceToHost));
  V(host[0]);
  add<<<4, 8>>>(2);
  int value = 0;
  T(hipMemcpyFromSymbol(&value, HIP_SYMBOL(total), 4));
  V(value);
  V(managed);
  lanes<<<1, 1>>>(a);
  T(hipMemcpy(host, a, 4, hipMemcpyDeviceToHost));
  V(host[0]);
}
CASE(sizes) {
  int by = 0;
  void* values[] = {&by};
  launch((void*)add, dim3(0), dim3(64), values);
  launch((void*)add, dim3(1), dim3(64, 0), values);
  launch((void*)add, dim3(1), dim3(1025), values);
  launch((void*)add, dim3(1u << 30), dim3(64), values);
  T(hipLaunchKernel((void*)add, dim3(1), dim3(1), values, 1 << 20, nullptr));
}
CASE(unknown) {
  int by = 0;
  void* values[] = {&by};
  launch(nullptr, dim3(1), dim3(1), values);
  launch((void*)launch, dim3(1), dim3(1), values);
  launch((void*)add, dim3(1), dim3(1), nullptr);
}
CASE(streams) {
  int by = 0;
  void* values[] = {&by};
  auto stale = reinterpret_cast<hipStream_t>(0x123450);
  launch((void*)add, dim3(1), dim3(1), values, stale);
  T(hipLaunchCooperativeKernel((void*)add, dim3(1), dim3(1), values, 0, stale));
  T(hipMemsetAsync(&by, 0, 0, nullptr));
  T(hipStreamQuery(stale));
}
CASE(fault) {
  int* a;
  T(hipMalloc(&a, 400));
  std::fflush(stdout);
  overrun<<<1, 1>>>(a);
  T(hipDeviceSynchronize());
  T(hipGetLastError());
  T(hipDeviceReset());
  T(hipMalloc(&a, 400));
  T(hipDeviceSynchronize());
}
CASE(modules) {
  int by = 3;
  void* values[] = {&by};
  size_t size = sizeof by;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &by, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  hipModule_t m;
  hipFunction_t f;
  T(hipModuleLoad(&m, "/nowhere/module.co"));
  T(hipModuleLoad(&m, "/dev/null"));
  T(hipModuleLoadData(&m, &by));
  T(hipModuleGetFunction(&f, m, "absent"));
  T(hipModuleGetFunction(&f, m, "add"));
  T(hipModuleLaunchKernel(f, 2, 1, 1, 5, 1, 1, 0, nullptr, values, nullptr));
  T(hipModuleLaunchKernel(f, 2, 1, 1, 5, 1, 1, 0, nullptr, nullptr, extra));
  T(hipModuleLaunchKernel(f, 2, 1, 1, 5, 1, 1, 0, nullptr, values, extra));
  hipDeviceptr_t at;
  T(hipModuleGetGlobal(&at, &size, m, "total"));
  V(size);
  T(hipMemcpyDtoH(&by, at, 4));
  V(by);
  T(hipModuleGetGlobal(&at, &size, m, "absent"));
  T(hipModuleUnload(m));
  T(hipModuleUnload(m));
}
CASE(functions) {
  hipFuncAttributes a;
  T(hipFuncGetAttributes(&a, (void*)add));
  V(a.maxThreadsPerBlock);
  T(hipFuncSetAttribute((void*)reverse, hipFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  int *data, n = 1;
  T(hipMalloc(&data, 4));
  void* values[] = {&data, &n};
  T(hipLaunchKernel((void*)reverse, dim3(1), dim3(1), values, 1 << 20, nullptr));
  int blocks = 0, grid = 0, block = 0;
  T(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void*)add, 256, 0));
  V(blocks);
  T(hipOccupancyMaxPotentialBlockSize(&grid, &block, (void*)add, 0, 0));
  V(block);
}
CASE(timed) {
  int by = 1;
  void* values[] = {&by};
  hipEvent_t start, stop;
  float ms = -1;
  T(hipEventCreate(&start));
  T(hipEventCreate(&stop));
  T(hipExtLaunchKernel((void*)add, dim3(1), dim3(1), values, 0, nullptr, start, stop, 0));
  T(hipEventSynchronize(stop));
  T(hipEventElapsedTime(&ms, start, stop));
  V(ms >= 0);
}
"""
OK = "hipSuccess"
INVALID = "hipErrorInvalidValue"
CONFIGURATION = "hipErrorInvalidConfiguration"


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("launches"), CASES)


def test_kernels_when_launched_by_host_code(program: Program) -> None:
    assert program.run("kernels").lines == [
        *(OK, OK, OK, OK, OK, "21", OK, "21"),
        *(OK, str(4 * 8 * 2), "6", OK, "64"),
    ]


def test_launch_when_sizes_are_wrong_in_7_0(program: Program) -> None:
    """See "HIP API 7.0 changes", "Kernel launch APIs"; hip_runtime_api.h: under 2^32 items."""
    lines = program.on(release="7.0").run("sizes").lines
    assert lines == [INVALID, INVALID, CONFIGURATION, CONFIGURATION, INVALID]


def test_launch_when_sizes_are_wrong_in_6_4(program: Program) -> None:
    """The same page: too many threads were hipErrorInvalidValue."""
    lines = program.on(release="6.4").run("sizes").lines
    assert lines == [CONFIGURATION, CONFIGURATION, INVALID, CONFIGURATION, INVALID]


def test_launch_when_the_function_is_unknown(program: Program) -> None:
    function = "hipErrorInvalidDeviceFunction"
    assert program.run("unknown").lines == [function, function, INVALID]


@pytest.mark.parametrize(
    ("release", "launch", "cooperative", "query"),
    [
        ("7.0", "hipErrorContextIsDestroyed", "hipErrorInvalidHandle", "hipErrorInvalidHandle"),
        ("6.4", INVALID, "hipErrorContextIsDestroyed", "hipErrorContextIsDestroyed"),
    ],
)
def test_stream_when_it_is_none(
    program: Program, release: str, launch: str, cooperative: str, query: str
) -> None:
    """See "HIP API 7.0 changes": launches, and "Invalid stream input parameter handling"."""
    lines = program.on(release=release).run("streams").lines
    assert lines == [launch, cooperative, OK, query]


def test_fault_when_a_kernel_leaves_its_memory_in_7_0(program: Program) -> None:
    """See "HIP API 7.0 changes": exceptions in kernels "will instead return an error"."""
    ran = program.on(release="7.0").run("fault")
    address = "hipErrorIllegalAddress"
    assert ran.lines == [OK, address, address, OK, OK, OK]
    assert [finding["code"] for finding in ran.findings] == ["EMU001"]


def test_fault_when_a_kernel_leaves_its_memory_in_6_4(program: Program) -> None:
    """The same page: exceptions aborted the process."""
    ran = program.on(release="6.4").run("fault", succeeds=False)
    assert (ran.status, ran.lines) == (-6, [OK])
    assert "stopped in kernel overrun(int*): memory that it may not use" in ran.errors
    assert [finding["code"] for finding in ran.findings] == ["EMU001"]


def test_fault_when_one_is_injected_into_a_kernel(program: Program) -> None:
    ran = program.on(faults="kernel overrun(int*):1=719").run("fault")
    failure = "hipErrorLaunchFailure"
    assert ran.lines == [OK, failure, failure, OK, OK, OK]


def test_fault_when_one_with_another_number_is_injected_into_a_kernel(program: Program) -> None:
    ran = program.on(faults="kernel overrun:1=700").run("fault")
    address = "hipErrorIllegalAddress"
    assert ran.lines == [OK, address, address, OK, OK, OK]
    assert not ran.findings


@pytest.mark.parametrize(("release", "empty"), [("7.0", "hipErrorInvalidImage"), ("6.4", INVALID)])
def test_modules_when_asked_by_name(program: Program, release: str, empty: str) -> None:
    """See "HIP API 7.0 changes", "hipModuleLoad"; hip_runtime_api.h: hipErrorNotFound."""
    missing = "hipErrorNotFound"
    assert program.on(release=release).run("modules").lines == [
        *("hipErrorFileNotFound", empty, OK, missing, OK),
        *(OK, OK, INVALID),
        *(OK, "4", OK, str(2 * 2 * 5 * 3), missing, OK, "hipErrorInvalidHandle"),
    ]


def test_functions_when_asked_for_attributes(program: Program) -> None:
    """hip_runtime_api.h, hipFuncAttribute: "these hints and controls are ignored" on AMD."""
    assert program.run("functions").lines == [
        *(OK, "1024", OK, OK, INVALID, OK, "8", OK, "1024"),
    ]


def test_launch_when_events_time_it(program: Program) -> None:
    assert program.run("timed").lines == [OK, OK, OK, OK, OK, "1"]
