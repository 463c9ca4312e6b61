"""The module of ROCm under the shared device suite, on two GPUs that a stand-in for HIP makes.

The stand-in computes on the host and refuses whatever is put into a stream, made or released while
another device is the current one.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from porting.toolkits import clang
from porting.toolkits.sysroot import Sysroot

from .conftest import ROOT, GpuBuild

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("gpu")]

_SOURCES = Path(__file__).parent / "two_gpus"
# The packages of the test, with the module that was built beside them.
_RUN = """
import sys, pytest, runtime
runtime.__path__.append(sys.argv[1])
sys.exit(pytest.main(sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def two_gpus(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a libamdhip64.so.7 that has two devices."""
    folder = tmp_path_factory.mktemp("two_gpus")
    core = ROOT / "bindings/core"
    command: list[str | Path] = [clang.find().path, "-std=c++20", "-O1", "-fPIC", "-shared"]
    command += ["-isystem", sysroot.include, "-I", core]
    command += ["-Wl,-soname,libamdhip64.so.7", "-o", folder / "libamdhip64.so.7"]
    command += [*sorted(_SOURCES.glob("*.cpp")), core / "host_kernels.cpp"]
    subprocess.run(command, check=True, timeout=300)
    return folder


def _passed(gpu: GpuBuild, libraries: Path, *tests: Path) -> tuple[int, set[str]]:
    """Return how many tests passed, and the names of the devices that they were of."""
    module = gpu.module("rocm").parent
    done = subprocess.run(
        [sys.executable, "-c", _RUN, module, "-v", "-p", "no:cacheprovider", *tests],
        env={**os.environ, "LD_LIBRARY_PATH": str(libraries), "PYTEST_ADDOPTS": ""},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    assert "skipped" not in done.stdout.splitlines()[-1], done.stdout[-500:]
    rows = re.findall(r"\[(rocm(?::1)?)\b.*\] PASSED", done.stdout)
    return len(rows), set(rows)


def test_the_module_passes_the_shared_suite_on_each_of_two_gpus(
    gpu: GpuBuild, two_gpus: Path
) -> None:
    suite = sorted((ROOT / "tests/runtime/devices").glob("test_protocol*.py"))
    number, devices = _passed(gpu, two_gpus, *suite)
    assert number > 200
    assert devices == {"rocm", "rocm:1"}


def test_two_gpus_reach_each_other(gpu: GpuBuild, two_gpus: Path) -> None:
    number, _ = _passed(gpu, two_gpus, _SOURCES / "pairs.py")
    assert number == 6
