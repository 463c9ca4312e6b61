"""Compat headers of real CUDA trees: made without a failure, formatted, and read by compilers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.soak, pytest.mark.toolchain, pytest.mark.timeout(600)]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the checkout from its root."""
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
    )


@pytest.mark.parametrize("name", ["lightgbm", "mmcv", "xgboost"])
def test_header_of_a_real_tree_compiles_and_is_complete(
    name: str, sysroot: Sysroot, tmp_path: Path
) -> None:
    fetched = run(sys.executable, "-m", "benchmarks.real_trees.fetch", name)
    assert fetched.returncode == 0, fetched.stderr
    source = str(Path(json.loads(fetched.stdout)["path"]) / "tree")
    made = run(sys.executable, "-m", "porting", "headers", source, "-o", str(tmp_path))
    assert made.returncode in (0, 1), made.stderr
    header = tmp_path / "eclosion/cuda_to_hip.h"
    formatted = run("clang-format-19", "--style=file:.clang-format", "-n", "-Werror", str(header))
    assert formatted.stderr == ""
    checked = run(
        *(sys.executable, "-m", "porting", "headers", source, "--check", "--header", str(header))
    )
    assert "HDR005" not in checked.stderr
    for command in (
        ("gcc", "-std=c11", "-x", "c"),
        ("g++", "-std=c++17", "-x", "c++"),
        ("clang++-19", "-std=c++17", "-x", "hip", "--offload-arch=gfx942", "-nogpulib"),
    ):
        rocm = (f"--rocm-path={sysroot.path}",) if "hip" in command else ()
        flags = (*rocm, "-w", "-include", str(header), "-isystem", str(sysroot.include))
        done = run(*command, *flags, "-fsyntax-only", "/dev/null")
        assert done.returncode == 0, done.stderr
