"""Fragments, used by the build systems they are for; the results are read back, run and audited."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from porting.config import Target
from porting.elf import read_binary
from porting.link import link_plan
from porting.link.audit import audit
from porting.link.fragments import BUILD_SYSTEMS, fragment
from porting.link.loader import Search
from porting.link.subject import Question
from porting.toolkits.sysroot import Sysroot

MADE_BY = ("porting 1", "porting link plan")
HIP = """\
#include <hip/hip_runtime_api.h>
int main(void) { int n = 7; return hipGetDeviceCount(&n) == hipErrorNoDevice && n == 0 ? 0 : 1; }
"""
CUDA = "#include <cuda_runtime.h>\nint main(void) { int n; return cudaGetDeviceCount(&n) != 35; }\n"
CMAKE = """\
cmake_minimum_required(VERSION 3.21)
project(app LANGUAGES CXX)
include(gpu_link.cmake)
add_executable(app main.cpp)
gpu_link(app)
install(TARGETS app)
"""
MAKE = """\
include gpu.mk
app: main.cpp
\t$(CXX) $(GPU_CPPFLAGS) $< $(GPU_LDFLAGS) $(GPU_LDLIBS) -o $@
"""
SETUP = """\
from setuptools import Extension, setup
from gpu_link import GPU_EXTENSION
setup(name="ext", ext_modules=[Extension("ext", ["ext.c"], **GPU_EXTENSION)])
"""
MODULE = """\
#include <Python.h>
%s
static PyObject *count(PyObject *self, PyObject *none) {
  int n = 7;
  return PyLong_FromLong(%s(&n));
}
static PyMethodDef methods[] = {{"count", count, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "ext", "", -1, methods};
PyMODINIT_FUNC PyInit_ext(void) { return PyModule_Create(&module); }
"""
CARGO = '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n'
RUST = """\
extern "C" {
    fn %s(n: *mut i32) -> i32;
}
fn main() {
    let mut n = 7;
    assert_eq!(unsafe { %s(&mut n) }, %d);
}
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def run(folder: Path, *words: str | Path, **variables: str | Path) -> str:
    """Run a build tool in a folder, with no search path for libraries but what it is given."""
    environment = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "CC", "CXX")}
    environment |= {name: str(value) for name, value in variables.items()}
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rocm_text(build_system: str) -> str:
    return fragment(link_plan("rocm", Target(), ["cudart", "nccl"]), build_system, MADE_BY)


def cuda_text(build_system: str) -> str:
    plan = link_plan("cuda", Target(), ["cudart", "nccl"], ("80", "90"))
    return fragment(plan, build_system, MADE_BY)


def is_rocm(path: Path, sysroot: Sysroot, allowed: str = "") -> None:
    """Check with our reader, readelf and the audit that a file follows ROCm's plan.

    `allowed`: a code of what is the build system's or the interpreter's own doing.
    """
    lib = sysroot.path / "lib"
    (file,) = read_binary(path).members
    assert "libamdhip64.so.7" in file.needed
    assert file.rpath is None
    assert file.runpath is not None
    assert str(lib) in file.runpath
    told = run(path.parent, "readelf", "-d", "-W", path)
    assert f"Library runpath: [{':'.join(file.runpath)}]" in told
    assert "(RPATH)" not in told
    result = audit([path], Question("rocm", "7.1", (), (lib,)), Search())
    assert [f for f in result.findings if f.code not in ("LNK019", allowed)] == []
    assert [item.follows for item in result.files] == ["rocm"]


def test_cmake_when_built_and_installed(
    sysroot: Sysroot, tmp_path: Path, program: Callable[[str], str]
) -> None:
    cmake = program("cmake")
    write(
        tmp_path, {"CMakeLists.txt": CMAKE, "main.cpp": HIP, "gpu_link.cmake": rocm_text("cmake")}
    )
    prefix = f"-DCMAKE_INSTALL_PREFIX={tmp_path}/installed"
    run(tmp_path, cmake, "-S.", "-Bbuild", prefix, f"-DROCM_PATH={sysroot.path}")
    run(tmp_path, cmake, "--build", "build")
    run(tmp_path, cmake, "--install", "build")
    # CMake leaves room in the build tree's RUNPATH: an empty folder.
    for path, allowed in ((tmp_path / "build/app", "LNK006"), (tmp_path / "installed/bin/app", "")):
        is_rocm(path, sysroot, allowed)
        run(tmp_path, path)


def test_make_when_built(sysroot: Sysroot, tmp_path: Path) -> None:
    write(tmp_path, {"Makefile": MAKE, "main.cpp": HIP, "gpu.mk": rocm_text("make")})
    run(tmp_path, "make", ROCM_PATH=sysroot.path)
    is_rocm(tmp_path / "app", sysroot)
    run(tmp_path, tmp_path / "app")


def test_make_when_its_flags_compile_device_code(sysroot: Sysroot, tmp_path: Path) -> None:
    """Clang takes the flags, and the audit finds the architectures."""
    compiler = "clang++-19 -x hip --rocm-path=$(ROCM_PATH) -fPIC"
    rule = f"k.o: k.hip\n\t{compiler} $(GPU_CPPFLAGS) $(GPU_ARCHFLAGS) -c $< -o $@\n"
    kernel = "#include <hip/hip_runtime.h>\n__global__ void k(int *p) { *p = 1; }\n"
    write(
        tmp_path,
        {"Makefile": f"include gpu.mk\n{rule}", "k.hip": kernel, "gpu.mk": rocm_text("make")},
    )
    run(tmp_path, "make", ROCM_PATH=sysroot.path, GPU_ARCHS="gfx90a gfx1100")
    folders = (sysroot.path / "lib",)
    for wanted, codes in ((("gfx90a", "gfx1100"), []), (("gfx942",), ["LNK011"])):
        result = audit([tmp_path / "k.o"], Question("rocm", "7.1", wanted, folders), Search())
        assert [finding.code for finding in result.findings] == codes


@pytest.fixture
def needs_setuptools(missing: Callable[[str], NoReturn]) -> None:
    """Ask for setuptools in this Python."""
    if find_spec("setuptools") is None:
        missing("setuptools is not installed")


@pytest.mark.usefixtures("needs_setuptools")
def test_setuptools_when_built(sysroot: Sysroot, tmp_path: Path) -> None:
    module = MODULE % ("#include <hip/hip_runtime_api.h>", "hipGetDeviceCount")
    write(tmp_path, {"setup.py": SETUP, "ext.c": module, "gpu_link.py": rocm_text("setuptools")})
    run(tmp_path, sys.executable, "setup.py", "build_ext", "--inplace", ROCM_PATH=sysroot.path)
    (path,) = tmp_path.glob("ext*.so")
    is_rocm(path, sysroot, "LNK006")  # an interpreter may add its own folder
    assert run(tmp_path, sys.executable, "-c", "import ext; print(ext.count())") == "100\n"


def test_meson_when_built_and_installed(
    sysroot: Sysroot, tmp_path: Path, program: Callable[[str], str]
) -> None:
    meson = program("meson")
    project = "project('app', 'cpp')\nsubdir('gpu')\n"
    project += "executable('app', 'main.cpp', dependencies: gpu_dep, install: true,"
    project += " install_rpath: gpu_rpath)\n"
    files = {"meson.build": project, "main.cpp": HIP, "gpu/meson.build": rocm_text("meson")}
    write(tmp_path, files)
    prefix = f"--prefix={tmp_path}/installed"
    run(tmp_path, meson, "setup", "build", prefix, ROCM_PATH=sysroot.path)
    run(tmp_path, meson, "install", "-C", "build")
    for path in (tmp_path / "build/app", tmp_path / "installed/bin/app"):
        is_rocm(path, sysroot)
        run(tmp_path, path)


def test_cargo_when_built(sysroot: Sysroot, tmp_path: Path, program: Callable[[str], str]) -> None:
    cargo = program("cargo")
    rust = RUST % ("hipGetDeviceCount", "hipGetDeviceCount", 100)
    script = "mod gpu_build;\n\nfn main() {\n    gpu_build::link();\n}\n"
    files = {"Cargo.toml": CARGO, "src/main.rs": rust, "build.rs": script}
    write(tmp_path, {**files, "gpu_build.rs": rocm_text("cargo")})
    run(
        tmp_path,
        cargo,
        "build",
        "--offline",
        ROCM_PATH=sysroot.path,
        CARGO_TARGET_DIR=tmp_path / "t",
    )
    is_rocm(tmp_path / "t/debug/app", sysroot)
    run(tmp_path, tmp_path / "t/debug/app")


@pytest.fixture
def cuda_home(tmp_path: Path) -> Path:
    """Return a stand-in of CUDA: a header, and a static cudart.

    It is hidden as the real one, and has its texts: the name of an error, and the driver's.
    """
    home = tmp_path / "cuda"
    declared = "int cudaGetDeviceCount(int *n);"
    header = f'#ifdef __cplusplus\nextern "C"\n#endif\n{declared}\n'
    source = (
        "#include <time.h>\n"
        'static const char *volatile texts[] = {"cudaErrorCudartUnloading", "libcuda.so.1"};\n'
        '__attribute__((visibility("hidden"))) int cudaGetDeviceCount(int *n)\n'
        "{ return texts[0] && texts[1] ? 35 : 0; }\n"
    )
    write(home, {"include/cuda_runtime.h": header, "lib64/cudart.c": source})
    run(home / "lib64", "gcc", "-fPIC", "-c", "cudart.c")
    run(home / "lib64", "ar", "rcs", "libcudart_static.a", "cudart.o")
    return home


def is_cuda(path: Path, allowed: str = "") -> None:
    result = audit([path], Question("cuda", "7.1", (), ()), Search())
    assert [f for f in result.findings if f.code != allowed] == []
    assert [item.follows for item in result.files] == ["cuda-static"]


def test_make_when_built_for_cuda(cuda_home: Path, tmp_path: Path) -> None:
    show = "flags:\n\t@echo $(GPU_ARCHFLAGS)\n"
    write(tmp_path, {"Makefile": MAKE + show, "main.cpp": CUDA, "gpu.mk": cuda_text("make")})
    run(tmp_path, "make", CUDA_HOME=cuda_home)
    is_cuda(tmp_path / "app")
    run(tmp_path, tmp_path / "app")
    flags = run(tmp_path, "make", "-s", "flags", CUDA_HOME=cuda_home)
    pair = "-gencode arch=compute_{0},code=sm_{0}"
    assert flags.strip() == f"{pair.format(80)} {pair.format(90)}"


@pytest.mark.usefixtures("needs_setuptools")
def test_setuptools_when_built_for_cuda(cuda_home: Path, tmp_path: Path) -> None:
    module = MODULE % ("#include <cuda_runtime.h>", "cudaGetDeviceCount")
    write(tmp_path, {"setup.py": SETUP, "ext.c": module, "gpu_link.py": cuda_text("setuptools")})
    run(tmp_path, sys.executable, "setup.py", "build_ext", "--inplace", CUDA_HOME=cuda_home)
    (path,) = tmp_path.glob("ext*.so")
    is_cuda(path, "LNK006")
    assert run(tmp_path, sys.executable, "-c", "import ext; print(ext.count())") == "35\n"


def test_meson_when_built_for_cuda(
    cuda_home: Path, tmp_path: Path, program: Callable[[str], str]
) -> None:
    meson = program("meson")
    project = "project('app', 'cpp')\nsubdir('gpu')\n"
    project += "executable('app', 'main.cpp', dependencies: gpu_dep)\n"
    files = {"meson.build": project, "main.cpp": CUDA, "gpu/meson.build": cuda_text("meson")}
    write(tmp_path, files)
    run(tmp_path, meson, "setup", "build", CUDA_HOME=cuda_home)
    run(tmp_path, meson, "compile", "-C", "build")
    is_cuda(tmp_path / "build/app")
    run(tmp_path, tmp_path / "build/app")


def test_cargo_when_built_for_cuda(
    cuda_home: Path, tmp_path: Path, program: Callable[[str], str]
) -> None:
    cargo = program("cargo")
    rust = RUST % ("cudaGetDeviceCount", "cudaGetDeviceCount", 35)
    script = "mod gpu_build;\n\nfn main() {\n    gpu_build::link();\n}\n"
    files = {"Cargo.toml": CARGO, "src/main.rs": rust, "build.rs": script}
    write(tmp_path, {**files, "gpu_build.rs": cuda_text("cargo")})
    run(tmp_path, cargo, "build", "--offline", CUDA_HOME=cuda_home, CARGO_TARGET_DIR=tmp_path / "t")
    is_cuda(tmp_path / "t/debug/app")
    run(tmp_path, tmp_path / "t/debug/app")


def test_cmake_when_built_for_cuda(
    cuda_home: Path, tmp_path: Path, program: Callable[[str], str]
) -> None:
    """FindCUDAToolkit takes a home without nvcc that has a version file."""
    cmake = program("cmake")
    write(
        cuda_home, {"version.json": json.dumps({"cuda": {"version": "13.0.88"}}), "lib64/a.c": ""}
    )
    write(cuda_home, {"include/cuda.h": "#define CUDA_VERSION 13000\n"})
    run(cuda_home / "lib64", "gcc", "-shared", "-o", "libcudart.so", "a.c")
    write(
        tmp_path, {"CMakeLists.txt": CMAKE, "main.cpp": CUDA, "gpu_link.cmake": cuda_text("cmake")}
    )
    run(tmp_path, cmake, "-S.", "-Bbuild", f"-DCUDAToolkit_ROOT={cuda_home}", PATH="/usr/bin:/bin")
    run(tmp_path, cmake, "--build", "build")
    is_cuda(tmp_path / "build/app")
    run(tmp_path, tmp_path / "build/app")


@pytest.mark.parametrize("build_system", BUILD_SYSTEMS)
def test_fragment_when_everything_is_in_the_plan(build_system: str) -> None:
    for platform in ("cuda", "rocm"):
        plan = link_plan(platform, Target())
        text = fragment(plan, build_system, MADE_BY)
        assert text == fragment(plan, build_system, MADE_BY)
        assert "Generated by porting 1:" in text
        assert text.endswith("\n")
        for item in plan.libraries:
            if item.how.value in ("static", "shared"):
                assert item.name in text or item.target in text
            if item.how.value == "dlopen":
                assert item.soname in text


def test_python_fragment_when_formatted(tmp_path: Path, program: Callable[[str], str]) -> None:
    path = tmp_path / "gpu_link.py"
    path.write_text(rocm_text("setuptools"))
    run(tmp_path, program("ruff"), "format", "--isolated", "--check", path)
