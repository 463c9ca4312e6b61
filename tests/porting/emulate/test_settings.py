"""What the emulator's variables may say: numbers within bounds, or the program ends with 2."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from porting.emulate import libraries
from porting.emulate.toolkits import Headers
from porting.toolkits.cuda import CudaHome

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(900)

COUNT = """
import ctypes, sys
count = ctypes.c_int(-1)
ctypes.CDLL(sys.argv[1]).cudaGetDeviceCount(ctypes.byref(count))
print(count.value)
"""


@pytest.fixture(scope="module")
def runtime(cuda_home: CudaHome) -> Path:
    built = libraries.build(Headers("cuda", cuda_home.path, cuda_home.release))
    return built / "libcudart.so.13"


def count(
    runtime: Path, script: str = COUNT, **settings: str
) -> "subprocess.CompletedProcess[str]":
    variables = {f"ECLOSION_EMULATOR_{name}": value for name, value in settings.items()}
    return subprocess.run(
        [sys.executable, "-c", script, str(runtime)],
        env={**os.environ, "LD_LIBRARY_PATH": str(runtime.parent), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("DEVICES", "65", "number from 0 to 64"),
        ("DEVICES", "1024", "number from 0 to 64"),
        ("DEVICES", "-1", "number from 0 to 64"),
        ("DEVICES", "two", "number from 0 to 64"),
        ("MEMORY", "0G", "number of bytes such as 512M"),
        ("MEMORY", "17179869184G", "number of bytes such as 512M"),
        ("MEMORY", "99999999999999999999", "number of bytes such as 512M"),
        ("MEMORY", "257G", "number of bytes up to 256G"),
        ("MEMORY", "274877906945", "number of bytes up to 256G"),
        ("MEMORY", "17179869183G", "number of bytes up to 256G"),
        ("MEMORY", "-1", "number of bytes such as 512M"),
        ("WORKERS", "0", "number from 1 to 1024"),
        ("WORKERS", "99999999999", "number from 1 to 1024"),
        ("WAVE", "4294967328", "width of a wave, which is 32 or 64"),
        ("SEED", "99999999999999999999", "number from 0 to 18446744073709551615"),
        ("DELAY_US", "9223372036854775807", "number from 0 to 1000000000000"),
        ("LEAKS", "2", "number from 0 to 1"),
    ],
)
def test_setting_when_it_is_out_of_bounds(
    runtime: Path, name: str, value: str, wanted: str
) -> None:
    ran = count(runtime, **{name: value})
    assert ran.returncode == 2, ran.stdout
    assert re.search(
        rf"^ECLOSION_EMULATOR_{name} is '{value}', which is no {wanted}; unset it or mend it$",
        ran.stderr,
        re.MULTILINE,
    )


ALLOCATE = """
import ctypes, sys
runtime = ctypes.CDLL(sys.argv[1])
place = ctypes.c_void_p()
print(runtime.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(255 << 30)))
"""


def test_memory_when_it_is_the_most_that_there_is(runtime: Path) -> None:
    ran = count(runtime, ALLOCATE, MEMORY="256G")
    assert (ran.returncode, ran.stdout.strip()) == (0, "0"), ran.stderr


@pytest.mark.parametrize("devices", ["1", "64"])
def test_setting_when_it_is_at_a_bound(runtime: Path, devices: str) -> None:
    ran = count(runtime, DEVICES=devices, MEMORY="1K", WORKERS="1024", DELAY_US="1000000000000")
    assert (ran.returncode, ran.stdout.strip()) == (0, devices), ran.stderr
