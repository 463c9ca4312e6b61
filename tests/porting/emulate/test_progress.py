"""What takes long is told, in a log as on a terminal, and nothing where all is there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from porting.emulate import libraries
from porting.emulate.toolkits import Headers
from porting.toolkits.sysroot import Sysroot

pytestmark = pytest.mark.timeout(900)


def emulated(folder: Path, rocm: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "porting", "emulate", "--build-dir", str(folder), "--", "true"],
        env={**os.environ, "ROCM_PATH": str(rocm), "GPU_PLATFORM": "rocm"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_units_when_no_terminal_sees_them_compiled(sysroot: Sysroot, tmp_path: Path) -> None:
    libraries.build(Headers("rocm", sysroot.path, sysroot.rocm))
    units = [tmp_path / "one.hip", tmp_path / "two.hip"]
    for unit in units:
        unit.write_text(f"__global__ void {unit.stem}(int* x) {{ *x = 1; }}\n")
        os.utime(unit, (1, 1))
    entries = [
        {"directory": str(tmp_path), "file": str(unit), "command": f"clang++ -x hip -c {unit}"}
        for unit in units
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    first = emulated(tmp_path, sysroot.path)
    assert first.returncode == 0, first.stderr
    told = [f"porting: compiling the kernels of {unit}" for unit in units]
    assert sorted(line for line in first.stderr.splitlines() if "compiling" in line) == told
    second = emulated(tmp_path, sysroot.path)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


def test_libraries_when_several_sources_are_compiled_are_told_of_once() -> None:
    told: list[str] = []
    tell = libraries._once(told.append, "building")
    tell()
    tell()
    assert told == ["building"]
