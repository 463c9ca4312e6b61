"""A trace has each buffer once, with what it held at its end, and says the same every time."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from porting.emulate.launch import buffers_of, environment_of
from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("traces")]

CASES = r"""
__global__ void fill(int* to, int value, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value;
}
constexpr int kCount = 1024;
constexpr std::size_t kBytes = kCount * sizeof(int);
void write(int* to, int value, hipStream_t stream) {
  fill<<<kCount / 256, 256, 0, stream>>>(to, value, kCount);
}
CASE(freed) {
  int* data;
  hipMalloc(&data, kBytes);
  write(data, 3, nullptr);
  hipFree(data);
}
CASE(left) {
  int* data;
  hipMalloc(&data, kBytes);
  write(data, 3, nullptr);
}
CASE(pooled) {
  hipStream_t stream;
  hipStreamCreate(&stream);
  int* data;
  hipMallocAsync(reinterpret_cast<void**>(&data), kBytes, stream);
  write(data, 3, stream);
  hipFreeAsync(data, stream);
}
CASE(pinned) {
  int* data;
  hipHostMalloc(&data, kBytes);
  data[0] = 1;
  hipHostFree(data);
}
CASE(forked) {
  int* data;
  hipMalloc(&data, kBytes);
  write(data, 3, nullptr);
  hipDeviceSynchronize();
  std::fflush(stdout);
  if (const pid_t child = fork()) waitpid(child, nullptr, 0);
}
CASE(four) {
  int* data;
  hipMalloc(&data, kBytes);
  write(data, 4, nullptr);
}
"""


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    return build(sysroot, tmp_path_factory.mktemp("traces"), CASES)


def traced(program: Program, folder: Path, case: str) -> tuple[Mapping[str, Any], ...]:
    """Return what the trace of a case says."""
    report, trace = folder / f"{case}.json", folder / f"{case}-trace.json"
    trace.unlink(missing_ok=True)
    environment = environment_of(program.machine, report, os.environ, trace)
    # Work starts late: none is done before the program ends, unless somebody waits for it.
    environment["ECLOSION_EMULATOR_DELAY_US"] = "20000"
    done = subprocess.run(
        [str(program.path), case], env=environment, check=False, timeout=120, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return buffers_of(trace)


@pytest.mark.parametrize("case", ["freed", "left", "pooled", "forked"])
def test_a_buffer_when_its_work_is_late(program: Program, tmp_path: Path, case: str) -> None:
    [found] = traced(program, tmp_path, case)
    assert found["size"] == 4096
    [same] = traced(program, tmp_path, "freed")
    [other] = traced(program, tmp_path, "four")
    assert found["digests"] == same["digests"] != other["digests"]


def test_memory_of_the_host_when_it_is_freed(program: Program, tmp_path: Path) -> None:
    assert traced(program, tmp_path, "pinned") == ()
