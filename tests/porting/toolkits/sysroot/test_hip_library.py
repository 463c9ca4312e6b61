"""The loadable libamdhip64: symbols, versions, and what a program without a GPU sees."""

import ctypes
import subprocess
from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot
from porting.toolkits.sysroot.hip_library import exported, source, version_script

HEADER = """
typedef enum hipError_t { hipSuccess = 0, hipErrorNoDevice = 100 } hipError_t;
hipError_t hipGetDeviceCount(int *count);
hipError_t hipMalloc(void **ptr, unsigned long size);
void __hipGetPCH(const char **pch, unsigned int *size);
const char *hipApiName(unsigned id);
int printf(const char *format, ...);
"""
PROGRAM = r"""
#include <cstdio>
#include <hip/hip_runtime_api.h>
int main() {
  int n = -1, version = 0;
  std::printf("%d", hipGetDeviceCount(&n));
  std::printf(" %d", n);
  std::printf(" %d", hipPeekAtLastError());
  std::printf(" %d", hipGetLastError());
  std::printf(" %d", hipGetLastError());
  std::printf(" %d", hipRuntimeGetVersion(&version));
  std::printf(" %d", version == HIP_VERSION);
  std::printf(" %s", hipGetErrorName(hipErrorNoDevice));
  void *p = nullptr;
  std::printf(" %d\n", hipMalloc(&p, 4));
}
"""
LIBRARIES = [("7.1", "7"), ("6.2", "6")]


def test_source_when_generated() -> None:
    text = source(HEADER)
    assert "hipError_t hipGetDeviceCount(int *count) { if (count) *count = 0;" in text
    assert "hipMalloc(void **ptr, unsigned long size) { return failed(hipErrorNoDevice); }" in text
    assert "void __hipGetPCH(const char **pch, unsigned int *size) {  }" in text
    assert 'const char * hipApiName(unsigned id) { return ""; }' in text
    assert '{hipErrorNoDevice, "hipErrorNoDevice"}' in text
    assert "printf" not in text


def test_exports_when_listed() -> None:
    names = exported(HEADER)
    assert {"hipMalloc", "__hipRegisterFatBinary", "hipGetDeviceProperties"} <= names
    assert "printf" not in names


def test_versions_when_known_and_not() -> None:
    script = version_script({"hipMalloc", "hipGetDevicePropertiesR0600", "hipBrandNew"})
    assert script == (
        "hip_4.2 { global: hipMalloc; };\n"
        "hip_6.0 { global: hipGetDevicePropertiesR0600; } hip_4.2;\n"
    )


@pytest.mark.parametrize(("release", "major"), LIBRARIES)
def test_library_when_linked_and_run(
    sysroot: Sysroot, sysroot_6_2: Sysroot, tmp_path: Path, release: str, major: str
) -> None:
    tree = {"7.1": sysroot, "6.2": sysroot_6_2}[release]
    (tmp_path / "main.cpp").write_text(PROGRAM)
    command = ["g++", "-w", "-D__HIP_PLATFORM_AMD__", "-isystem", str(tree.include), "main.cpp"]
    command += [f"-L{tree.lib}", "-lamdhip64", f"-Wl,-rpath,{tree.lib}", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert done.stdout == "100 0 100 100 0 0 1 hipErrorNoDevice 100\n"
    dynamic = subprocess.run(
        ["readelf", "-d", "--version-info", tmp_path / "main"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"[libamdhip64.so.{major}]" in dynamic
    assert "Name: hip_4.2" in dynamic


@pytest.mark.parametrize(("release", "major"), LIBRARIES)
def test_library_when_opened(
    sysroot: Sysroot, sysroot_6_2: Sysroot, release: str, major: str
) -> None:
    tree = {"7.1": sysroot, "6.2": sysroot_6_2}[release]
    library = ctypes.CDLL(str(tree.lib / f"libamdhip64.so.{major}"))
    for name in ("hipMalloc", "__hipRegisterFatBinary", "hipGetDevicePropertiesR0600"):
        assert getattr(library, name)
    assert library.hipInit(0) == 100


def test_library_when_the_compiler_calls_it(sysroot: Sysroot, tmp_path: Path) -> None:
    """Host objects of HIP units need the entries that no header declares."""
    text = "#include <hip/hip_runtime.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n"
    (tmp_path / "k.hip").write_text(text)
    command = ["clang++-19", "-x", "hip", "--offload-host-only", "--offload-arch=gfx942", "-w"]
    command += [f"--rocm-path={sysroot.path}", "-isystem", str(sysroot.include), "-c", "k.hip"]
    subprocess.run([*command, "-o", "k.o"], cwd=tmp_path, check=True)
    wanted = symbols(tmp_path / "k.o", "--undefined-only")
    needed = {name for name in wanted if name.startswith(("hip", "__hip"))}
    needed -= {name for name in needed if name.startswith(("__hip_fatbin", "__hip_gpubin"))}
    assert "__hipRegisterFatBinary" in needed
    assert needed <= symbols(sysroot.lib / "libamdhip64.so", "--defined-only", "--dynamic")


def symbols(path: Path, *options: str) -> set[str]:
    """Return the symbols of an object file, without versions."""
    command = ["nm", *options, "--format=posix", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.split()[0].partition("@")[0] for line in done.stdout.splitlines()}
