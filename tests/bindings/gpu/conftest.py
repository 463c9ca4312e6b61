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
from tests import compiler_cache

ROOT = Path(__file__).resolve().parents[3]
_TAKEN = ("CMakeLists.txt", "bindings", "porting", "pyproject.toml", "README.md", "LICENSE")

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Checkout:
    """A copy of the checkout, and cmake with an environment of its own."""

    source: Path
    run_cmake: Run
    environment: dict[str, str]
    ninja: str

    def configure(
        self, folder: Path, *settings: str, gpu: str = "cuda;rocm"
    ) -> "subprocess.CompletedProcess[str]":
        """Configure a build of the GPU modules in a folder."""
        prepared = (
            f"-DPython_EXECUTABLE={sys.executable}",
            f"-Dnanobind_DIR={nanobind.cmake_dir()}",
            f"-DCMAKE_MAKE_PROGRAM={self.ninja}",
        )
        return self.run_cmake(
            *("-S", self.source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            *(f"-DECLOSION_GPU={gpu}", *prepared, *settings),
        )


@dataclass(frozen=True)
class GpuBuild:
    """A checkout, its build folder, and ROCm's libraries that answer "no device"."""

    checkout: Checkout
    folder: Path
    rocm_libraries: Path

    @property
    def source(self) -> Path:
        """The copy of the checkout."""
        return self.checkout.source

    def module(self, platform: str) -> Path:
        """Return the compiled module of a platform."""
        (found,) = (self.folder / "gpu" / platform / "build" / "module").glob("_gpu_*.so")
        return found

    def build(self, *targets: str) -> "subprocess.CompletedProcess[str]":
        """Build targets."""
        return self.checkout.run_cmake("--build", self.folder, "--target", *targets)


@pytest.fixture(scope="session")
def checkout(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Return a copy of the checkout, for builds that nothing else takes part in."""
    source = tmp_path_factory.mktemp("checkout")
    for name in _TAKEN:
        original = ROOT / name
        if original.is_dir():
            left_out = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(original, source / name, ignore=left_out)
        else:
            shutil.copy(original, source / name)
    cmake, ninja = program("cmake"), program("ninja")
    # What was compiled how is what the emulator starts from.
    told = {"CMAKE_EXPORT_COMPILE_COMMANDS": "ON"}
    environment = {
        **os.environ,
        **compiler_cache.settings(),
        "CUDACXX": "",
        "CUDAFLAGS": "",
        **told,
    }

    def run(*words: str | Path) -> "subprocess.CompletedProcess[str]":
        command = [cmake, *map(str, words)]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=500
        )

    return Checkout(source, run, environment, ninja)


@pytest.fixture(scope="session")
def gpu(
    sysroot: Sysroot,
    cuda_home: CudaHome,
    checkout: Checkout,
    tmp_path_factory: pytest.TempPathFactory,
) -> GpuBuild:
    """Build both modules; a worker does it once, and its tests are one group."""
    folder = tmp_path_factory.mktemp("gpu")
    checkout.environment["CUDA_HOME"] = str(cuda_home.path)
    done = checkout.configure(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    made = GpuBuild(checkout, folder, sysroot.path / "lib")
    done = made.build("_gpu_cuda", "_gpu_rocm")
    assert done.returncode == 0, done.stdout + done.stderr
    return made
