"""Converted trees are configured and built by CMake itself."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.config import Mode, Target
from porting.port import PortRequest, port
from porting.toolkits.cuda import CudaHome
from porting.toolkits.sysroot import Sysroot

Build = Callable[..., "subprocess.CompletedProcess[str]"]
# A kernel that needs another unit's device function, a host file, a program.
SOURCES = {
    "src/device.cu": "#include <cuda_runtime.h>\n__device__ int twice(int x) { return 2 * x; }\n",
    "src/lift.cu": (
        "#include <cuda_runtime.h>\n"
        "extern __device__ int twice(int x);\n"
        "__global__ void lift(int* p) { *p = twice(*p); }\n"
        'extern "C" void run(int* p) { lift<<<1, 1>>>(p); }\n'
    ),
    "src/glue.cpp": (
        "#include <cuda_runtime.h>\n"
        'extern "C" int count() { int n = -1; return cudaGetDeviceCount(&n); }\n'
    ),
    "src/main.cpp": (
        "#include <cstdio>\n"
        'extern "C" int count();\n'
        'int main() { std::printf("%d\\n", count()); }\n'
    ),
}
LANGUAGE = """\
cmake_minimum_required(VERSION 3.18)
project(wavelets LANGUAGES CXX CUDA)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80)
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(CUDAToolkit REQUIRED)
add_library(parts STATIC src/device.cu)
set_target_properties(parts PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_library(wavelets SHARED src/lift.cu src/glue.cpp)
set_target_properties(wavelets PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_compile_options(wavelets PRIVATE
  $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo --expt-relaxed-constexpr -Xcompiler=-Wall -DTILE=4>)
target_link_libraries(wavelets PRIVATE parts CUDA::cudart)
add_executable(tool src/main.cpp)
target_link_libraries(tool PRIVATE wavelets)
install(TARGETS wavelets DESTINATION lib)
"""
LEGACY = """\
cmake_minimum_required(VERSION 3.5)
project(wavelets CXX)
find_package(CUDA REQUIRED)
set(CUDA_SEPARABLE_COMPILATION ON)
list(APPEND CUDA_NVCC_FLAGS -O3 "-gencode arch=compute_80,code=sm_80" -Xcompiler -fPIC)
include_directories(${CUDA_INCLUDE_DIRS})
cuda_add_library(parts STATIC src/device.cu)
cuda_add_library(wavelets SHARED src/lift.cu src/glue.cpp OPTIONS --use_fast_math)
cuda_add_cublas_to_target(wavelets)
target_link_libraries(wavelets parts ${CUDA_LIBRARIES} nvToolsExt)
cuda_add_executable(tool src/main.cpp)
target_link_libraries(tool wavelets)
install(TARGETS wavelets DESTINATION lib)
"""


def _ported(root: Path, text: str, mode: Mode) -> Path:
    tree = root / "tree"
    for name, content in {**SOURCES, "CMakeLists.txt": text}.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(content)
    target = Target("7.1", ("gfx942",))
    port(PortRequest(tree, root / "out", target, mode=mode, verify=False))
    return root / "out"


def _dynamic(library: Path) -> str:
    command = ["readelf", "-dW", str(library)]
    return subprocess.run(command, capture_output=True, text=True, timeout=50, check=True).stdout


def _run(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def _check_rocm_build(out: Path, sysroot: Sysroot) -> None:
    """Check what a ROCm build made: it runs, finds no device, and follows the link plan."""
    tool = subprocess.run([out / "b/tool"], capture_output=True, text=True, timeout=50, check=False)
    assert tool.stdout == "100\n"
    for library in (out / "b/libwavelets.so", out / "installed/lib/libwavelets.so"):
        dynamic = _dynamic(library)
        assert "libamdhip64.so.7" in dynamic
        assert "cudart" not in dynamic
        assert f"Library runpath: [{sysroot.path / 'lib'}" in dynamic


@pytest.mark.timeout(600)
@pytest.mark.parametrize("text", [LANGUAGE, LEGACY], ids=["language", "legacy"])
def test_renamed_tree_is_built_for_rocm(
    cmake: Build, for_rocm: list[str], sysroot: Sysroot, tmp_path: Path, text: str
) -> None:
    out = _ported(tmp_path, text, Mode.RENAME)
    place = f"-DCMAKE_INSTALL_PREFIX={out / 'installed'}"
    _run(cmake("-S.", "-Bb", *for_rocm, place, cwd=out, ROCM_PATH=str(sysroot.path)))
    commands = _run(cmake("--build", "b", "--verbose", cwd=out, ROCM_PATH=str(sysroot.path)))
    _run(cmake("--install", "b", cwd=out))
    assert "--offload-arch=gfx942" in commands
    assert "-fgpu-rdc" in commands
    _check_rocm_build(out, sysroot)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("text", [LANGUAGE, LEGACY], ids=["language", "legacy"])
def test_tree_for_both_is_built_for_rocm(
    cmake: Build, sysroot: Sysroot, tmp_path: Path, text: str
) -> None:
    out = _ported(tmp_path, text, Mode.COMPAT)
    for name, content in SOURCES.items():
        assert (out / name).read_text() == content
    place = f"-DCMAKE_INSTALL_PREFIX={out / 'installed'}"
    chosen = {"ROCM_PATH": str(sysroot.path), "GPU_PLATFORM": "rocm"}
    _run(cmake("-S.", "-Bb", "-GNinja", place, cwd=out, **chosen))
    # What was chosen holds when CMake runs again without being told.
    _run(cmake("-S.", "-Bb", cwd=out))
    _run(cmake("--build", "b", cwd=out))
    _run(cmake("--install", "b", cwd=out))
    _check_rocm_build(out, sysroot)


def _compile_commands(cmake: Build, tree: Path) -> dict[str, list[str]]:
    export = "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
    _run(cmake("-S.", "-Bb", "-GNinja", export, cwd=tree, GPU_PLATFORM="cuda"))
    entries = json.loads((tree / "b/compile_commands.json").read_text())
    return {
        Path(entry["file"]).name: entry["command"].replace(str(tree), "TREE").split()
        for entry in entries
    }


@pytest.mark.timeout(600)
def test_cuda_side_is_compiled_and_linked_as_before(
    cmake: Build, cuda_home: CudaHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDACXX", str(cuda_home.nvcc))
    out = _ported(tmp_path, LANGUAGE, Mode.COMPAT)
    before, after = _compile_commands(cmake, tmp_path / "tree"), _compile_commands(cmake, out)
    assert after == before
    assert len(after) == len(SOURCES)
    _run(cmake("--build", "b", cwd=out))
    assert "amdhip64" not in _dynamic(out / "b/libwavelets.so")


def test_platform_that_is_none_is_an_error(cmake: Build, tmp_path: Path) -> None:
    out = _ported(tmp_path, LANGUAGE, Mode.COMPAT)
    done = cmake("-S.", "-Bb", "-GNinja", cwd=out, GPU_PLATFORM="none")
    assert done.returncode != 0
    assert "this project needs a GPU platform and there is none" in " ".join(done.stderr.split())


OPTIONAL = """\
cmake_minimum_required(VERSION 3.18)
project(wavelets LANGUAGES CXX)
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  add_library(wavelets SHARED src/device.cu)
endif()
add_executable(plain plain.cpp)
file(WRITE ${CMAKE_BINARY_DIR}/plain.cpp "int main() {}")
set_target_properties(plain PROPERTIES SOURCES ${CMAKE_BINARY_DIR}/plain.cpp)
"""


def test_optional_language_is_left_out_without_a_platform(cmake: Build, tmp_path: Path) -> None:
    out = _ported(tmp_path, OPTIONAL, Mode.COMPAT)
    _run(cmake("-S.", "-Bb", "-GNinja", cwd=out, GPU_PLATFORM="none"))
    _run(cmake("--build", "b", cwd=out))
    assert (out / "b/plain").exists()
    assert not (out / "b/libwavelets.so").exists()
