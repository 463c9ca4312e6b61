"""The kernels of averages give the bits of the host's: compiled for the host, with its threads."""

import shutil
import subprocess
from pathlib import Path

import pytest

from porting.toolkits import clang

from .conftest import ROOT

HOST = Path(__file__).parent / "host"


@pytest.mark.usefixtures("sysroot")
@pytest.mark.timeout(300)
def test_averages_have_the_hosts_bits_for_any_number_of_sources(tmp_path: Path) -> None:
    for name in ("accumulate.cu", "kernels.h"):
        shutil.copy(ROOT / "bindings/gpu" / name, tmp_path)
    for file in HOST.iterdir():
        shutil.copy(file, tmp_path)
    program = tmp_path / "compare"
    command: list[str | Path] = [clang.find().path, "-x", "c++", "-std=c++20", "-O1"]
    command += ["-I", HOST, "-I", ROOT / "bindings/core", "-o", program]
    sources = [tmp_path / "compare_averages.cpp", ROOT / "bindings/core/host_kernels.cpp"]
    subprocess.run([*command, *sources], check=True, timeout=200)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "72 cases, 0 differ\n")
