"""The CUDA home from wheels: it compiles, links cudart statically, and says there is no device."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.toolkits import cuda, detect
from porting.toolkits.cuda import CudaHome
from porting.toolkits.cuda.recipe import DRIVER_LIBRARIES, LIBRARIES
from porting.toolkits.platforms import CUDA

PROGRAM = r"""
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_runtime.h>
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
int main() {
  int count = -1;
  cublasHandle_t blas = nullptr;
  int status = cudaGetDeviceCount(&count);
  twice<<<1, 1>>>(nullptr);
  std::printf("%d %d", status == cudaSuccess, cublasCreate(&blas));
}
"""


def run(*command: str | Path, cwd: Path) -> str:
    # As on a user's machine: no other nvcc is on PATH.
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(cwd)}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=True, timeout=300
    ).stdout


def test_program_when_compiled_and_run(cuda_home: CudaHome, tmp_path: Path) -> None:
    (tmp_path / "main.cu").write_text(PROGRAM)
    build = [str(cuda_home.nvcc), "-arch=sm_80", "main.cu", "-o", "main", "-lcublas"]
    run(*build, f"-Xlinker=-rpath,{cuda_home.path}/lib", cwd=tmp_path)
    assert run(tmp_path / "main", cwd=tmp_path) == "0 1"
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-dW", "main", cwd=tmp_path))
    assert "libcublas.so.13" in needed
    assert not [name for name in needed if "cudart" in name]


@pytest.mark.parametrize(
    ("name", "soname"), [(s.name, soname) for s, soname in (*LIBRARIES, *DRIVER_LIBRARIES)]
)
def test_library_when_opened(cuda_home: CudaHome, name: str, soname: str) -> None:
    driver = name in {stub.name for stub, _ in DRIVER_LIBRARIES}
    folder = cuda_home.stubs if driver else cuda_home.path / "lib"
    path = folder / f"lib{name}.so"
    assert f"[{soname}]" in run("readelf", "-dW", path, cwd=folder)
    # In a process of its own: what is loaded here stays, and other tests would find it.
    run(sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(path)!r})", cwd=folder)


def test_home_when_detected(cuda_home: CudaHome) -> None:
    found = detect.home(CUDA, {"CUDA_HOME": str(cuda_home.path)})
    assert found is not None
    assert found.path == cuda_home.path
    assert found.release == "13.0"
    assert cuda.is_ours(found.path)
    assert not cuda.is_ours(found.path.parent)


def test_home_when_asked_for_the_folder_of_the_target(cuda_home: CudaHome) -> None:
    """Where an installation has it, and the only place where Meson looks."""
    target = cuda_home.path / "targets/x86_64-linux"
    for name, file in (("include", "cuda_runtime.h"), ("lib", "libcudart_static.a")):
        assert (target / name / file).samefile(cuda_home.path / name / file)


MESON = """\
project('demo', 'cpp', 'cuda')
toolkit = dependency('cuda', modules: ['cudart_static', 'cublas'])
executable('main', 'main.cu', dependencies: toolkit)
"""


def test_home_when_meson_looks_for_a_module(
    cuda_home: CudaHome, program: Callable[[str], str], tmp_path: Path
) -> None:
    meson = program("meson")
    (tmp_path / "meson.build").write_text(MESON)
    (tmp_path / "main.cu").write_text(PROGRAM)
    environment = {
        "PATH": f"{cuda_home.path}/bin:{Path(meson).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "CUDA_HOME": str(cuda_home.path),
        "CUDA_PATH": str(cuda_home.path),
    }
    done = subprocess.run(
        [meson, "setup", "b"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout
