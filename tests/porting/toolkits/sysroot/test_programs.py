"""The programs of a ROCm home: they stand where ROCm's do, and build what those build."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot

KERNEL = """
#include <hip/hip_runtime.h>
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
int run() { twice<<<1, 1>>>(nullptr); int n = -1; return hipGetDeviceCount(&n) + n; }
"""
MAIN = "int run(); int main() { return run(); }\n"
CMAKE = """
cmake_minimum_required(VERSION 3.21.3)
project(demo LANGUAGES CXX HIP)
find_package(hipblas REQUIRED)
add_executable(demo kernel.hip main.cpp)
target_link_libraries(demo roc::hipblas)
"""
NO_DEVICE = 100


def run(*command: str | Path, cwd: Path, sysroot: Sysroot | None = None) -> str:
    path = "/usr/local/bin:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(cwd)}
    if sysroot:
        environment |= {"ROCM_PATH": str(sysroot.path), "PATH": f"{sysroot.path}/bin:{path}"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert not done.returncode, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "kernel.hip").write_text(KERNEL)
    (tmp_path / "kernel.cu").write_text(KERNEL)
    (tmp_path / "main.cpp").write_text(MAIN)
    return tmp_path


def answer(program: Path) -> int:
    return subprocess.run([program], check=False, timeout=20).returncode


@pytest.mark.parametrize("kernel", ["kernel.hip", "kernel.cu"])
def test_hipcc_when_it_compiles_and_links(sysroot: Sysroot, sources: Path, kernel: str) -> None:
    hipcc = sysroot.path / "bin/hipcc"
    run(hipcc, "--offload-arch=gfx942", "-fPIC", "-c", kernel, "-o", "kernel.o", cwd=sources)
    rpath = f"-Wl,-rpath,{sysroot.lib}"
    run(hipcc, "--offload-arch=gfx942", "main.cpp", "kernel.o", "-o", "demo", rpath, cwd=sources)
    assert answer(sources / "demo") == NO_DEVICE
    dynamic = run("readelf", "-dW", "demo", cwd=sources)
    assert "libamdhip64.so.7" in re.findall(r"NEEDED.*\[(.*)\]", dynamic)


def test_hipcc_when_the_language_is_given(sysroot: Sysroot, sources: Path) -> None:
    hipcc = sysroot.path / "bin/hipcc"
    (sources / "plain.c").write_text("int twice(int class) { return 2 * class; }\n")  # no C++
    run(hipcc, "-x", "c", "-c", "plain.c", "-o", "plain.o", cwd=sources)
    assert (sources / "plain.o").is_file()


def test_hipconfig_when_asked(sysroot: Sysroot, tmp_path: Path) -> None:
    hipconfig = sysroot.path / "bin/hipconfig"
    assert run(hipconfig, "--version", cwd=tmp_path) == sysroot.version
    assert run(hipconfig, "-R", cwd=tmp_path) == str(sysroot.path)
    assert run(hipconfig, "-l", cwd=tmp_path) == f"{sysroot.path}/llvm/bin"


def test_cmake_when_it_enables_hip(
    sysroot: Sysroot, sources: Path, program: Callable[[str], str]
) -> None:
    (sources / "CMakeLists.txt").write_text(CMAKE)
    cmake = program("cmake")
    arguments = [f"-DCMAKE_PREFIX_PATH={sysroot.path}", "-DCMAKE_HIP_ARCHITECTURES=gfx942"]
    run(cmake, "-S", ".", "-B", "build", *arguments, cwd=sources, sysroot=sysroot)
    run(cmake, "--build", "build", cwd=sources, sysroot=sysroot)
    assert answer(sources / "build/demo") == NO_DEVICE
