"""The header as compilers and a formatter see it: C11, C++17, C++20, every wrapper, two units."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.config import Target
from porting.headers import HEADER, make_headers, units_of
from porting.headers.prototypes import _table
from porting.mapping import Names
from porting.rules import Project, collect_project
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

Make = Callable[..., Any]
Compile = Callable[..., str]

STYLE = Path(__file__).parents[3] / ".clang-format"
USES = """
#include <cuda.h>
#include <cuda_runtime.h>
void use(CUdeviceptr base, CUmemGenericAllocationHandle handle, cudaStream_t stream,
         struct cudaDeviceProp* properties) {
  CUdeviceptr other = base + 64;
  unsigned long long bytes = other - base;
  void* pointer = (void*)other;
  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice;
  CUresult status = cuMemAlloc(&other, 16);
  if (status != CUDA_SUCCESS) return;
  cuMemcpyHtoDAsync(other, pointer, 16, stream);
  cuMemMap(base, 16, 0, handle, 0);
  cuMemGetAddressRange(&other, (size_t*)&bytes, base);
  cudaMemcpy(pointer, pointer, 16, kind);
  cudaGetDeviceProperties(properties, 0);
  cudaFuncSetAttribute(pointer, cudaFuncAttributeMaxDynamicSharedMemorySize, 1);
  cudaStreamSynchronize(stream);
  (void)properties->warpSize;
}
"""


def every_wrapper(suffix: str) -> str:
    """Return a text that names every function of the prototypes, as a value."""
    calls = "\n".join(f"  (void)&{name};" for name in sorted(_table()))
    return f"#include <cuda.h>\nvoid use() {{\n{calls}\n}}\n" if suffix else calls


def format_errors(folder: Path, text: str) -> str:
    """Return what clang-format would change."""
    path = folder / "checked.h"
    path.write_text(text)
    done = subprocess.run(
        ["clang-format-19", f"--style=file:{STYLE}", "--dry-run", "-Werror", str(path)],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    return done.stderr


@pytest.mark.toolchain
def test_header_is_c11(make: Make, c11: Compile) -> None:
    made = make({"use.c": USES})
    assert c11(made, USES) == ""


@pytest.mark.toolchain
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_header_is_cxx(make: Make, cxx: Compile, standard: str) -> None:
    assert cxx(make({"use.cpp": USES}), USES, standard) == ""


@pytest.mark.toolchain
@pytest.mark.parametrize("rocm", ["7.1", "6.2"])
def test_every_wrapper_compiles_and_is_formatted(
    make: Make, rocm: str, sysroot: Sysroot, sysroot_6_2: Sysroot, tmp_path: Path
) -> None:
    text = every_wrapper(".cpp")
    made = make({"use.cpp": text}, rocm)
    assert len(made.headers.entries) > 100
    assert format_errors(tmp_path, made.text) == ""
    tree = sysroot if rocm == "7.1" else sysroot_6_2
    flags = made.write(tmp_path)
    for compiler, name in ((("g++", "-std=c++17"), "x.cpp"), (("gcc", "-std=c11"), "x.c")):
        (tmp_path / name).write_text("int x;\n")
        done = subprocess.run(
            [
                *compiler,
                "-Wall",
                "-Wextra",
                "-Wno-deprecated-declarations",
                *flags,
                "-isystem",
                str(tree.include),
                "-fsyntax-only",
                str(tmp_path / name),
            ],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.stderr == ""


@pytest.mark.toolchain
def test_functions_can_be_named_where_members_and_strings_are_made(
    make: Make, cxx: Compile
) -> None:
    text = """
#include <cuda.h>
#define FUNCTIONS(X) X(cuInit) X(cuMemAlloc_v2) X(cuMemcpyDtoH_v2)
struct Table {
#define MEMBER(name) decltype(&::name) name##_ = nullptr;
  FUNCTIONS(MEMBER)
#undef MEMBER
};
#define NAME(name) #name,
const char* const names[] = {FUNCTIONS(NAME)};
int use(const Table& table, CUdeviceptr* p) {
  return table.cuInit_(0) + table.cuMemAlloc_v2_(p, 4) + table.cuMemcpyDtoH_v2_(p, *p, names[0][0]);
}
"""
    assert cxx(make({"use.cpp": text}), text) == ""


@pytest.mark.toolchain
def test_two_units_link_together(make: Make, sysroot: Sysroot, tmp_path: Path) -> None:
    text = (
        "#include <cuda.h>\n#include <dlfcn.h>\nint NAME() { CUdeviceptr p = 0;\n"
        'void* f = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit");\n'
        "return cuMemAlloc(&p, 4) + (f == nullptr); }\n"
    )
    made = make({"use.cpp": text})
    flags = made.write(tmp_path)
    (tmp_path / "one.cpp").write_text(text.replace("NAME", "one"))
    (tmp_path / "two.cpp").write_text(text.replace("NAME", "two"))
    (tmp_path / "main.cpp").write_text(
        "int one(); int two(); int main() { return one() - two(); }\n"
    )
    sources = [str(tmp_path / f"{name}.cpp") for name in ("one", "two", "main")]
    libraries = [f"-L{sysroot.path}/lib", f"-Wl,-rpath,{sysroot.path}/lib", "-lamdhip64"]
    subprocess.run(
        [
            "g++",
            "-std=c++17",
            *flags,
            "-isystem",
            str(sysroot.include),
            *sources,
            "-o",
            str(tmp_path / "both"),
            *libraries,
        ],
        check=True,
        timeout=100,
    )
    subprocess.run([str(tmp_path / "both")], check=True, timeout=50)


def test_headers_say_what_made_them_and_are_formatted(make: Make, tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples/cuda_project"
    files = [
        SourceFile(path.relative_to(example).as_posix(), path.read_bytes())
        for path in sorted(example.rglob("*"))
        if path.suffix in {".h", ".cuh", ".cu", ".cpp"}
    ]
    target, names = Target(), Names.load("7.1")
    project: Project = collect_project(files, [file.path for file in files])
    units = units_of(files, target, names, project)
    headers = make_headers(units, target, names, project)
    assert len(headers.files) > 8
    for path, text in headers.files.items():
        assert "Generated by `porting " in text.partition("\n\n")[0], path
        assert format_errors(tmp_path, text) == "", path
    assert headers.missing == ()
    assert str(example) not in headers.files[HEADER]


def test_string_h_comes_with_the_header_as_it_came_with_nvcc(
    make: Make, sysroot: Sysroot, tmp_path: Path
) -> None:
    text = (
        "__global__ void k() {}\nfloat f(int h) { float f; memcpy(&f, &h, sizeof f); return f; }\n"
    )
    made = make(text)
    assert made.findings == ()
    source = tmp_path / "a.cu"
    source.write_text(text)
    hip = ["clang++-19", "-x", "hip", f"--rocm-path={sysroot.path}", "-isystem", sysroot.include]
    options = ["--offload-host-only", "-nogpulib", "-fsyntax-only", *made.write(tmp_path), source]
    done = subprocess.run(
        [str(word) for word in (*hip, *options)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
