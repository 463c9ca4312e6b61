"""Projects in folders, and those that run nvcc themselves, are built by CMake as converted."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.config import Mode, Target
from porting.port import PortRequest, port
from porting.toolkits.sysroot import Sysroot

Build = Callable[..., "subprocess.CompletedProcess[str]"]
KERNEL = (
    "#include <cuda_runtime.h>\n"
    "__global__ void lift(int* p) { ++*p; }\n"
    'extern "C" int run(int* p) { lift<<<1, 1>>>(p); return cudaGetDeviceCount(p); }\n'
)
MAIN = (
    "#include <cstdio>\n"
    'extern "C" int run(int* p);\n'
    'int main() { int n = 0; std::printf("%d\\n", run(&n)); }\n'
)
# An object library in a folder of its own; the program is linked by the host's compiler.
FOLDERS = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX CUDA)\n"
    "set(CMAKE_POSITION_INDEPENDENT_CODE ON)\nadd_subdirectory(src)\nadd_subdirectory(app)\n",
    "src/CMakeLists.txt": "add_library(parts OBJECT kernel.cu)\n"
    "add_library(lift SHARED $<TARGET_OBJECTS:parts>)\n"
    "install(TARGETS lift EXPORT liftTargets LIBRARY DESTINATION lib)\n"
    "install(EXPORT liftTargets DESTINATION lib/cmake/lift)\n",
    "src/kernel.cu": KERNEL,
    "app/CMakeLists.txt": "add_executable(tool main.cpp)\ntarget_link_libraries(tool lift)\n",
    "app/main.cpp": MAIN,
}
# CUDA is no language of this one.
STEPS = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.18)\nproject(p CXX)\n"
    "find_program(NVCC nvcc REQUIRED)\nfile(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/src)\n"
    "set(LIFT ${CMAKE_BINARY_DIR}/src/liblift.so)\n"
    "add_custom_command(OUTPUT ${LIFT}\n  COMMAND ${NVCC} -shared -Xcompiler -fPIC\n"
    "    ${CMAKE_SOURCE_DIR}/kernel.cu -o ${LIFT}\n  DEPENDS kernel.cu)\n"
    "add_custom_target(lift DEPENDS ${LIFT})\nadd_subdirectory(app)\n",
    "kernel.cu": KERNEL,
    "app/CMakeLists.txt": "add_executable(tool main.cpp)\nadd_dependencies(tool lift)\n"
    "target_link_libraries(tool ${LIFT})\n",
    "app/main.cpp": MAIN,
}


def _run(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("files", [FOLDERS, STEPS], ids=["folders", "steps"])
def test_tree_is_built_for_rocm_with_a_run_path(
    cmake: Build,
    sysroot: Sysroot,
    tmp_path: Path,
    files: dict[str, str],
    mode: Mode,
) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out"
    for name, content in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(content)
    port(PortRequest(tree, out, Target("7.1", ("gfx942",)), mode=mode, verify=False))
    chosen = {"ROCM_PATH": str(sysroot.path), "GPU_PLATFORM": "rocm"}
    options = ["-GNinja"]
    if mode is Mode.RENAME:
        options.append(f"-DCMAKE_HIP_COMPILER={sysroot.path / 'llvm/bin/clang++'}")
        options.append(f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={sysroot.path}")
    _run(cmake("-S.", "-Bb", *options, cwd=out, **chosen))
    assert "--offload-arch=gfx942" in _run(cmake("--build", "b", "--verbose", cwd=out))
    library = str(out / "b/src/liblift.so")
    command = ["readelf", "-dW", library]
    dynamic = subprocess.run(command, capture_output=True, text=True, timeout=50, check=True).stdout
    assert dynamic.count(str(sysroot.path / "lib")) == 1
    tool = [str(out / "b/app/tool")]
    done = subprocess.run(tool, capture_output=True, text=True, timeout=50, check=False)
    assert done.stdout == "100\n", done.stderr
