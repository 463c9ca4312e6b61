"""Threads that need more stack than they have end their kernel, not the program."""

import numpy as np
import pytest

from tests.porting.emulate.device_code import Device, Launch, Ran, device_on

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(900)

SOURCE = r"""
__device__ __noinline__ int deeper(const int* data, int left) {
  volatile int kept[16];
  kept[left % 16] = data[left % 64];
  return left == 0 ? 0 : deeper(data, left - 1) + kept[left % 16];  // told: deeper
}
extern "C" __global__ void recursion(int* data, int depth) {
  data[threadIdx.x] = deeper(data, depth);
}
__device__ __noinline__ int said(const int* data, int left) {
  volatile int kept[256];
  kept[left % 256] = data[left % 64];
  printf("%d\n", left);  // told: said
  return left == 0 ? 0 : said(data, left - 1) + kept[left % 256];
}
extern "C" __global__ void printing(int* data, int depth) {
  data[threadIdx.x] = said(data, depth);
}
template <int kBytes>
__device__ __noinline__ char filled(int at) {  // told: frame
  volatile char frame[kBytes];
  frame[at] = 1;
  return frame[at];
}
extern "C" __global__ void frame(int* data, int at) {
  data[threadIdx.x] = at < 0 ? filled<1 << 16>(-at) : filled<3 << 20>(at);
}
"""
STATUSES = {"cuda": 714, "rocm": 719}  # cudaErrorHardwareStackError, hipErrorLaunchFailure


@pytest.fixture(scope="module", params=["cuda", "rocm"])
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Device:
    wave = 32 if request.param == "cuda" else 64
    return device_on(request, request.param, wave, tmp_path_factory.mktemp("stacks"))


def run(device: Device, kernel: str, argument: int, threads: int = 1) -> Ran:
    include = "#include <hip/hip_runtime.h>" if device.headers.platform == "rocm" else ""
    arguments = (np.ones(64, dtype=np.int32), np.int32(argument))
    launch = Launch(kernel, arguments, block=(threads, 1, 1))
    return device.run(f"{include}\n#include <cstdio>{SOURCE}", [launch])


def line_of(fault: str) -> int:
    lines = SOURCE.splitlines()
    return next(n for n, line in enumerate(lines, 2) if line.endswith(f"// told: {fault}"))


@pytest.mark.parametrize(
    ("kernel", "argument", "function", "lines"),
    [
        ("recursion", 10_000_000, "deeper", (-3, 0)),
        ("printing", 10_000_000, "said", (-3, 1)),
        ("frame", 100, "frame", (0, 2)),
    ],
)
def test_a_thread_when_its_stack_is_used_up(
    device: Device, kernel: str, argument: int, function: str, lines: tuple[int, int]
) -> None:
    ran = run(device, kernel, argument)
    assert f"DeviceSynchronize gave {STATUSES[device.headers.platform]}" in ran.errors
    [found] = ran.findings
    assert (found["code"], found["kernel"]) == ("EMU011", kernel), ran.errors
    assert found["text"] == "the thread needs more than its stack of 1048576 bytes"
    assert found["at"]["label"] == "thread (0, 0, 0) of block (0, 0, 0)"
    first = line_of(function)
    assert first + lines[0] <= found["at"]["line"] <= first + lines[1]


@pytest.mark.parametrize(("kernel", "argument"), [("recursion", 3000), ("frame", -100)])
def test_threads_when_their_stacks_suffice(device: Device, kernel: str, argument: int) -> None:
    ran = run(device, kernel, argument, threads=64)
    assert (ran.status, ran.findings) == (0, []), ran.errors
