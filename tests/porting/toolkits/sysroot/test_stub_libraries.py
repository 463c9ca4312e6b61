"""The loadable libraries above HIP: what they export, under which SONAME, and what they answer."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from porting.toolkits.stub_library import source
from porting.toolkits.sysroot import Sysroot
from porting.toolkits.sysroot.stub_libraries import LIBRARIES, RocmLibrary

BLAS = next(library for library in LIBRARIES if library.stub.name == "hipblas")
HEADER = """
typedef enum { HIPBLAS_STATUS_NOT_INITIALIZED = 1 } hipblasStatus_t;
hipblasStatus_t hipblasCreate(void **handle);
hipblasStatus_t hipblasLtCreate(void **handle);
const char *hipblasStatusToString(int status);
int printf(const char *format, ...);
"""
# ROCm 7.1's, as its packages ship them.
SONAMES_7 = {
    "hipblas": "libhipblas.so.3",
    "hipblaslt": "libhipblaslt.so.1",
    "hipfft": "libhipfft.so.0",
    "hiprand": "libhiprand.so.1",
    "hipsolver": "libhipsolver.so.1",
    "hipsparse": "libhipsparse.so.4",
    "hiprtc": "libhiprtc.so.7",
    "rccl": "librccl.so.1",
    "roctx64": "libroctx64.so.4",
}


def test_source_when_generated() -> None:
    text = source(BLAS.stub, HEADER)
    assert "hipblasStatus_t (hipblasCreate)(void **handle) { return HIPBLAS_STATUS_NOT" in text
    assert 'const char * (hipblasStatusToString)(int status) { return "hipblas: no device"; }' in (
        text
    )
    assert "hipblasLt" not in text
    assert "printf" not in text


def test_soname_when_release_is_unknown() -> None:
    assert BLAS.soname("7.2") == "libhipblas.so.3"
    assert BLAS.soname("9.0") is None


@pytest.mark.toolchain
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.stub.name)
def test_library_when_built(sysroot: Sysroot, library: RocmLibrary) -> None:
    path = sysroot.lib / f"lib{library.stub.name}.so"
    dynamic = subprocess.run(
        ["readelf", "-dW", path], capture_output=True, text=True, check=True, timeout=20
    ).stdout
    assert re.findall(r"SONAME.*\[(.*)\]", dynamic) == [SONAMES_7[library.stub.name]]
    assert in_a_child(f"ctypes.CDLL({str(path)!r})") == 0


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("name", "call"),
    [("hipblas", "hipblasCreate(ctypes.byref(ctypes.c_void_p()))"), ("rccl", "ncclGroupStart()")],
)
def test_answer_when_there_is_no_device(sysroot: Sysroot, name: str, call: str) -> None:
    path = str(sysroot.lib / f"lib{name}.so")
    assert in_a_child(f"sys.exit(ctypes.CDLL({path!r}).{call})") == 1


def in_a_child(statement: str) -> int:
    """Run a statement elsewhere: what is loaded here stays, and other tests would find it."""
    command = [sys.executable, "-c", f"import ctypes, sys; {statement}"]
    return subprocess.run(command, check=False, timeout=30).returncode


@pytest.mark.toolchain
def test_cmake_packages_when_written(sysroot: Sysroot) -> None:
    packages = sysroot.lib / "cmake"
    text = (packages / "hipblas/hipblas-config.cmake").read_text()
    assert "add_library(roc::hipblas SHARED IMPORTED)" in text
    assert "/lib/libhipblas.so.3" in text
    assert not (packages / "roctx64").exists()


@pytest.mark.toolchain
def test_program_when_linked(sysroot: Sysroot, tmp_path: Path) -> None:
    program = tmp_path / "sum.c"
    program.write_text(
        "#include <hipblas/hipblas.h>\n"
        "int main(void) { hipblasHandle_t h; return hipblasCreate(&h) == "
        "HIPBLAS_STATUS_NOT_INITIALIZED ? 0 : 1; }\n"
    )
    command = ["gcc", "-D__HIP_PLATFORM_AMD__", "-isystem", str(sysroot.include), str(program)]
    command += [f"-L{sysroot.lib}", f"-Wl,-rpath,{sysroot.lib}", "-lhipblas", "-o"]
    subprocess.run([*command, str(tmp_path / "sum")], check=True, timeout=60)
    assert subprocess.run([tmp_path / "sum"], check=False, timeout=20).returncode == 0
