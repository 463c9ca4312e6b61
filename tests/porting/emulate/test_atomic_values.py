"""Atomics give what was there before them, on both vendors' devices."""

from pathlib import Path

import numpy as np
import pytest

from tests.porting.emulate.device_code import Device, Launch, device_on

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

# Each call, and what it leaves of the 7 that it finds.
CALLS = {
    "atomicAdd(at, 2)": 9,
    "atomicSub(at, 2)": 5,
    "atomicExch(at, 2)": 2,
    "atomicMin(at, 2)": 2,
    "atomicMax(at, 9)": 9,
    "atomicInc(at, 7u)": 0,
    "atomicDec(at, 9u)": 6,
    "atomicAnd(at, 2u)": 2,
    "atomicOr(at, 8u)": 15,
    "atomicXor(at, 2u)": 5,
    "atomicCAS(at, 7u, 2u)": 2,
    "atomicCAS(at, 6u, 2u)": 7,
}
ALL = [
    *(("unsigned", call, left) for call, left in CALLS.items()),
    ("float", "atomicAdd(at, 2)", 9),
    ("float", "atomicExch(at, 2)", 2),
    ("double", "atomicAdd(at, 2)", 9),
]
TYPES = {"unsigned": np.uint32, "float": np.float32, "double": np.float64}


@pytest.fixture(params=["cuda", "rocm"])
def device(request: pytest.FixtureRequest, tmp_path: Path) -> Device:
    wave = 32 if request.param == "cuda" else 64
    return device_on(request, request.param, wave, tmp_path)


def test_atomics_give_what_was_there(device: Device) -> None:
    kernels = [
        f'extern "C" __global__ void call{number}({kind}* at, {kind}* was) {{ *was = {call}; }}\n'
        for number, (kind, call, _) in enumerate(ALL)
    ]
    launches = [
        Launch(
            f"call{number}", (np.full(1, 7, TYPES[kind]), np.zeros(1, TYPES[kind])), block=(1, 1, 1)
        )
        for number, (kind, _, _) in enumerate(ALL)
    ]

    include = "#include <hip/hip_runtime.h>\n" if device.headers.platform == "rocm" else ""
    ran = device.run(include + "".join(kernels), launches)

    assert ran.status == 0, ran.errors
    found = [(float(at[0]), float(was[0])) for at, was in ran.arguments]
    assert found == [(float(left), 7.0) for _, _, left in ALL]
