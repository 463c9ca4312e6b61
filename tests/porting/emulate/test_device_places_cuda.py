"""What functions of the headers do wrong is found at the line of the program that calls them."""

from pathlib import Path

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.device_code import Device, Launch

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

LINES = {
    "an operator of half": "h[0] = h[0] + h[at];",
    "an assignment with an operator": "h[at] += h[0];",
    "a cached load": "h[0] = __ldg(h + at);",
    "a store with a hint": "__stcs(h + at, h[0]);",
    "an atomic of half": "atomicAdd(h + at, h[0]);",
    "an atomic of int": "atomicCAS(reinterpret_cast<int*>(h + at), 1, 2);",
    "memory functions": "memcpy(h, h + at, 16);",
    "a shuffle's value": "h[0] = __shfl_sync(0xFFFFFFFFu, h[at], 0);",
    "PTX": 'asm volatile("st.global.u32 [%0], %1;" :: "l"(h + at), "r"(at) : "memory");',
}


@pytest.fixture
def device(cuda_home: CudaHome, tmp_path: Path) -> Device:
    return Device(Headers("cuda", cuda_home.path, cuda_home.release), 32, tmp_path)


@pytest.mark.parametrize("way", LINES)
def test_accesses_in_headers_are_found_at_the_programs_line(device: Device, way: str) -> None:
    source = f"""#include <cuda_fp16.h>
extern "C" __global__ void reach(__half* h, int at) {{
  if (threadIdx.x != 0) return;
  {LINES[way]}
}}
"""
    launch = Launch("reach", (np.zeros(64, np.float16), np.int32(100000)), block=(1, 1, 1))
    ran = device.run(source, [launch])
    found = [(one["kind"], one["kernel"], one["at"]["line"]) for one in ran.findings]
    assert found == [("out of bounds", "reach", 4)]
    assert Path(ran.findings[0]["at"]["file"]).name == "unit.cu"


def test_a_failed_assertion_and_a_trap_are_named_with_their_line(device: Device) -> None:
    source = """#include <cassert>
extern "C" __global__ void check(int n) {
  assert(n < 5 && "small");
}
extern "C" __global__ void stop(int n) {
  if (n == 7) __trap();
}
"""
    for kernel, kind, line in (("check", "assertion", 3), ("stop", "trap", 6)):
        ran = device.run(source, [Launch(kernel, (np.int32(7),), block=(1, 1, 1))])
        assert [(one["kind"], one["at"]["line"]) for one in ran.findings] == [(kind, line)]
        assert ran.status != 0
    assert device.run(source, [Launch("check", (np.int32(4),))]).status == 0
