"""Both modules under the shared device suite, on two emulated GPUs of their platform.

Everything that the suite finds is the modules' own doing: the emulator's findings (memory out of
bounds, races between streams...) fail the run too.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT, Checkout, GpuBuild

# `make test` has the suite in the parity matrix, on the first GPU of two.
pytestmark = [pytest.mark.soak, pytest.mark.timeout(900), pytest.mark.xdist_group("gpu")]

# The packages of the test, with the module that was built beside them.
_RUN = """
import sys, pytest, runtime
runtime.__path__.append(sys.argv[1])
sys.exit(pytest.main(sys.argv[2:]))
"""
_SUITE = sorted((ROOT / "tests/runtime/devices").glob("test_protocol*.py"))
_PAIRS = Path(__file__).parent / "pairs.py"


@pytest.fixture(scope="module")
def builds(
    gpu: GpuBuild, checkout: Checkout, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Return the build of each module: ROCm's as it is, CUDA's with cudart as a shared library."""
    folder = tmp_path_factory.mktemp("shared")
    done = checkout.configure(folder, "-DECLOSION_SHARED_RUNTIME=ON", gpu="cuda")
    assert done.returncode == 0, done.stdout + done.stderr
    done = checkout.run_cmake("--build", folder, "--target", "_gpu_cuda")
    assert done.returncode == 0, done.stdout + done.stderr
    return {"rocm": gpu.folder / "gpu/rocm/build", "cuda": folder / "gpu/cuda/build"}


def _passed(build: Path, platform: str, *chosen: str | Path) -> tuple[int, set[str]]:
    """Return how many tests passed, and the names of the devices that they were of."""
    suite = [sys.executable, "-c", _RUN, str(build / "module"), "-v", "-p", "no:cacheprovider"]
    emulator = [sys.executable, "-m", "porting", "emulate", "--platform", platform]
    emulator += ["--devices", "2", "--build-dir", str(build), "--"]
    done = subprocess.run(
        [*emulator, *suite, *map(str, chosen)],
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    assert "skipped" not in done.stdout.splitlines()[-1], done.stdout[-500:]
    rows = re.findall(rf"\[({platform}(?::1)?)\b.*\] PASSED", done.stdout)
    return len(rows), set(rows)


@pytest.mark.parametrize("platform", ["rocm", "cuda"])
def test_the_module_passes_the_shared_suite_on_each_of_two_gpus(
    builds: dict[str, Path], platform: str
) -> None:
    number, devices = _passed(builds[platform], platform, "-k", platform, *_SUITE)
    assert number > 200
    assert devices == {platform, f"{platform}:1"}


@pytest.mark.parametrize("platform", ["rocm", "cuda"])
def test_two_gpus_reach_each_other(builds: dict[str, Path], platform: str) -> None:
    number, _ = _passed(builds[platform], platform, _PAIRS)
    assert number == 6
