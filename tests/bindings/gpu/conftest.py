"""Both GPU modules, built once from a copy of the checkout with the toolkits that are here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nanobind
import pytest

from porting.toolkits.cuda import CudaHome
from porting.toolkits.sysroot import Sysroot

ROOT = Path(__file__).resolve().parents[3]
_TAKEN = ("CMakeLists.txt", "bindings", "porting", "pyproject.toml", "README.md", "LICENSE")

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class GpuBuild:
    """A copy of the checkout, its build folder, and ROCm's libraries that answer "no device"."""

    source: Path
    folder: Path
    rocm_libraries: Path
    run_cmake: Run
    environment: dict[str, str]

    def module(self, platform: str) -> Path:
        """Return the compiled module of a platform."""
        (found,) = (self.folder / "gpu" / platform / "build" / "module").glob("_gpu_*.so")
        return found

    def build(self, *targets: str) -> "subprocess.CompletedProcess[str]":
        """Build targets."""
        return self.run_cmake("--build", self.folder, "--target", *targets)


@pytest.fixture(scope="session")
def gpu(
    sysroot: Sysroot,
    cuda_home: CudaHome,
    program: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> GpuBuild:
    """Build both modules; a worker does it once, and its tests are one group."""
    folder = tmp_path_factory.mktemp("gpu")
    source = folder / "source"
    source.mkdir()
    for name in _TAKEN:
        original = ROOT / name
        if original.is_dir():
            left_out = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(original, source / name, ignore=left_out)
        else:
            shutil.copy(original, source / name)
    cmake, ninja = program("cmake"), program("ninja")
    environment = {**os.environ, "CUDA_HOME": str(cuda_home.path), "CUDACXX": "", "CUDAFLAGS": ""}

    def run(*words: str | Path) -> "subprocess.CompletedProcess[str]":
        command = [cmake, *map(str, words)]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=500
        )

    done = run(
        *("-S", source, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"),
        *("-DECLOSION_GPU=cuda;rocm", "-DCMAKE_BUILD_TYPE=Release"),
        *(f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.cmake_dir()}"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    made = GpuBuild(source, folder / "build", sysroot.path / "lib", run, environment)
    done = made.build("_gpu_cuda", "_gpu_rocm")
    assert done.returncode == 0, done.stdout + done.stderr
    return made
