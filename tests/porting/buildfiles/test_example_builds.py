"""The example's Makefile and setup.py, ported, build in the ROCm tree; for CUDA with nvcc."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from porting.config import Mode, Target
from porting.port import PortRequest, port
from porting.toolkits.cuda import CudaHome
from porting.toolkits.sysroot import Sysroot

EXAMPLE = Path(__file__).parents[3] / "examples/cuda_project"


def ported(tmp_path: Path, mode: Mode) -> Path:
    out = tmp_path / "out"
    port(PortRequest(EXAMPLE, out, Target("7.1", ("gfx942",)), verify=False, mode=mode))
    return out


def run(command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def check(library: Path, sysroot: Sysroot) -> None:
    """Check what a library links, where it finds that, and that it loads and has its functions."""
    command = ["readelf", "-d", str(library)]
    read = subprocess.run(command, capture_output=True, text=True, timeout=50, check=True).stdout
    assert "[libamdhip64.so.7]" in read
    assert f"Library runpath: [{sysroot.path}/lib]" in read
    assert "cudart" not in read
    assert b"gfx942" in library.read_bytes()
    loaded = ctypes.CDLL(str(library))
    loaded.tidepool_last_problem.restype = ctypes.c_char_p
    values = (ctypes.c_double * 5)()
    none = ctypes.c_void_p(0)
    assert loaded.tidepool_moments(none, ctypes.c_size_t(1), 0, none, values) != 0
    assert b"hipErrorNoDevice" in loaded.tidepool_last_problem()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", [Mode.RENAME, pytest.param(Mode.COMPAT, marks=pytest.mark.soak)])
def test_makefile_builds_for_rocm(
    tmp_path: Path, sysroot: Sysroot, rocm_environment: dict[str, str], mode: Mode
) -> None:
    out = ported(tmp_path, mode)
    given = [f"{name}={rocm_environment[name]}" for name in ("ROCM_PATH", "HIPCC")]
    run(["make", "-j2", *given], out, rocm_environment)
    check(out / "build/libtidepool.so", sysroot)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", [Mode.RENAME, pytest.param(Mode.COMPAT, marks=pytest.mark.soak)])
def test_setup_py_builds_for_rocm(
    tmp_path: Path,
    sysroot: Sysroot,
    rocm_environment: dict[str, str],
    mode: Mode,
    missing: Callable[[str], NoReturn],
) -> None:
    if find_spec("setuptools") is None:
        missing("setuptools is not installed")
    out = ported(tmp_path, mode)
    run([sys.executable, "setup.py", "-q", "build_ext"], out, rocm_environment)
    (library,) = out.glob("build/lib*/tidepool/libtidepool.so")
    check(library, sysroot)


@pytest.mark.timeout(300)
def test_compat_makefile_compiles_for_cuda(tmp_path: Path, cuda_home: CudaHome) -> None:
    home, nvcc = cuda_home.path, cuda_home.nvcc
    out = ported(tmp_path, Mode.COMPAT)
    given = ["GPU_PLATFORM=cuda", f"CUDA_HOME={home}", f"NVCC={nvcc}"]
    run(["make", *given, "build/kernels/pack.cu.o"], out, os.environ)
    assert b"sm_80" in (out / "build/kernels/pack.cu.o").read_bytes()
