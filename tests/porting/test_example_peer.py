"""What torch.utils.hipify alone makes of the example: most of it does not compile, and why.

Recorded so that the example stays hard enough to show what a port needs besides new names.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "examples" / "cuda_project"
# Unit -> the first thing that stops it, as clang says it.
EXPECTED = {
    "kernels/checksum.cu": r"sizeof\(unsigned int\) == 8.*The mask must be a 64-bit integer",
    "kernels/histogram.cu": r"sizeof\(unsigned int\) == 8|hipFuncSetAttribute",
    "kernels/moments.cu": r"'math_constants.h' file not found",
    "kernels/scan.cu": r"undeclared identifier 'cudaErrorCooperativeLaunchTooLarge'",
    "src/devices.cpp": r"no member named 'cuDevicePrimaryCtxRelease_v2'",
    "src/driver.cpp": r"no member named 'cuDevicePrimaryCtxRelease_v2'",
    "src/errors.cpp": r"no member named 'cuDevicePrimaryCtxRelease_v2'",
    "src/transfer.cpp": r"'nvtx3/roctracer/roctx.h' file not found",
    "src/vmm_arena.cpp": r"no member named 'cuDevicePrimaryCtxRelease_v2'",
    "tests/check_statistics.cu": r"no member named 'cuDevicePrimaryCtxRelease_v2'",
}
pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]


def first_error(sysroot: Sysroot, root: Path, unit: str) -> str:
    """Return clang's first error for a unit, host and gfx942; empty when it compiles."""
    language = ["-x", "c++", "-D__HIP_PLATFORM_AMD__=1"]
    if unit.endswith(".hip"):
        language = ["-x", "hip", "--offload-arch=gfx942", "-nogpulib"]
        language += [f"--rocm-path={sysroot.path}"]
    command = ["clang++-19", *language, "-std=c++17", "-w", "-fsyntax-only", "-ferror-limit=1"]
    command += [f"-isystem{sysroot.include}", "-Iinclude", unit]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=300, check=False
    )
    found = re.search(r"error: (.*)", done.stderr)
    return found[1] if found else ""


def test_peer_alone_leaves_most_units_that_do_not_compile(sysroot: Sysroot, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    command = ["benchmarks.real_trees.convert", "peer", str(PROJECT), str(tmp_path / "hip")]
    done = subprocess.run(
        [sys.executable, "-m", *command, "--headers", "include"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    names: dict[str, str] = json.loads(done.stdout)["names"]
    units = sorted(
        path.relative_to(PROJECT).as_posix()
        for path in PROJECT.rglob("*")
        if path.suffix in (".cu", ".cpp")
    )
    errors = {u: first_error(sysroot, tmp_path / "hip", names.get(u, u)) for u in units}
    failed = {unit for unit, error in errors.items() if error}
    assert failed == EXPECTED.keys(), errors
    for unit, pattern in EXPECTED.items():
        assert re.search(pattern, errors[unit]), f"{unit}: {errors[unit]}"
