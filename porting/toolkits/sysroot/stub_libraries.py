"""Loadable stand-ins for the libraries above HIP, so that ported programs link and load.

Every function that a header of the tree declares is exported, and each answers as the real library
does before it has found a device: with its "not initialized" status.  They compute nothing.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from porting.toolkits.clang import Clang
from porting.toolkits.sysroot.compiling import run_compiler
from porting.toolkits.sysroot.declarations import Function, functions


@dataclass(frozen=True)
class StubLibrary:
    """A library of ROCm: the header that declares it, its functions, and what they answer.

    `functions` is a pattern for their names.  `status` maps a result type to the value returned,
    `sonames` a ROCm major to the SONAME.  The library's CMake target is `namespace`::`name`; None
    where ROCm has no package for it.
    """

    name: str
    header: str
    functions: str
    status: tuple[tuple[str, str], ...]
    sonames: tuple[tuple[str, str], ...]
    namespace: str | None = "roc"

    def soname(self, rocm: str) -> str | None:
        """Return the SONAME in a release, or None when it is not known."""
        return dict(self.sonames).get(rocm.partition(".")[0])


# SONAMEs: of ROCm 7.1's and 6.2's packages.
LIBRARIES = (
    StubLibrary(
        "hipblas",
        "hipblas/hipblas.h",
        "hipblas(?!Lt)",
        (("hipblasStatus_t", "HIPBLAS_STATUS_NOT_INITIALIZED"),),
        (("6", "libhipblas.so.2"), ("7", "libhipblas.so.3")),
    ),
    StubLibrary(
        "hipblaslt",
        "hipblaslt/hipblaslt.h",
        "hipblasLt|hipblaslt",
        (("hipblasStatus_t", "HIPBLAS_STATUS_NOT_INITIALIZED"),),
        (("6", "libhipblaslt.so.0"), ("7", "libhipblaslt.so.1")),
    ),
    StubLibrary(
        "hipfft",
        "hipfft/hipfft.h",
        "hipfft",
        (("hipfftResult_t", "HIPFFT_SETUP_FAILED"), ("hipfftResult", "HIPFFT_SETUP_FAILED")),
        (("6", "libhipfft.so.0"), ("7", "libhipfft.so.0")),
        "hip",
    ),
    StubLibrary(
        "hiprand",
        "hiprand/hiprand.h",
        "hiprand",
        (
            ("hiprandStatus", "HIPRAND_STATUS_NOT_INITIALIZED"),
            ("hiprandStatus_t", "HIPRAND_STATUS_NOT_INITIALIZED"),
        ),
        (("6", "libhiprand.so.1"), ("7", "libhiprand.so.1")),
        "hip",
    ),
    StubLibrary(
        "hipsolver",
        "hipsolver/hipsolver.h",
        "hipsolver",
        (("hipsolverStatus_t", "HIPSOLVER_STATUS_NOT_INITIALIZED"),),
        (("6", "libhipsolver.so.0"), ("7", "libhipsolver.so.1")),
    ),
    StubLibrary(
        "hipsparse",
        "hipsparse/hipsparse.h",
        "hipsparse(?!Lt)",
        (("hipsparseStatus_t", "HIPSPARSE_STATUS_NOT_INITIALIZED"),),
        (("6", "libhipsparse.so.1"), ("7", "libhipsparse.so.4")),
    ),
    StubLibrary(
        "rccl",
        "rccl/rccl.h",
        "p?nccl",
        (("ncclResult_t", "ncclUnhandledCudaError"),),
        (("6", "librccl.so.1"), ("7", "librccl.so.1")),
    ),
    StubLibrary(
        "hiprtc",
        "hip/hiprtc.h",
        "hiprtc",
        (("hiprtcResult", "HIPRTC_ERROR_INTERNAL_ERROR"),),
        (("6", "libhiprtc.so.6"), ("7", "libhiprtc.so.7")),
        "hiprtc",
    ),
    StubLibrary(
        "roctx64",
        "roctracer/roctx.h",
        "roctx",
        (),
        (("6", "libroctx64.so.4"), ("7", "libroctx64.so.4")),
        None,
    ),
)


def write_libraries(
    clang: Clang, include: Path, lib: Path, rocm: str
) -> list[tuple[StubLibrary, str]]:
    """Compile each library whose header the tree has; return those written with their SONAME.

    Raises ToolchainError.
    """
    written = []
    for library in LIBRARIES:
        soname = library.soname(rocm)
        if soname is not None and (include / library.header).is_file():
            _write(library, soname, clang, include, lib)
            written.append((library, soname))
    return written


def _write(library: StubLibrary, soname: str, clang: Clang, include: Path, lib: Path) -> None:
    output = lib / soname
    preprocess = [str(clang.path), *_flags(include), "-E", "-P", "-include", library.header, "-"]
    header = run_compiler(preprocess, "", output)
    command: list[str | Path] = [clang.path, *_flags(include), "-O1", "-shared", "-fPIC"]
    command += ["-nostdlib", "-fno-builtin", f"-Wl,-soname,{soname}", "-", "-o", output]
    if linker := clang.tool("ld.lld"):
        command.append(f"--ld-path={linker}")
    run_compiler(command, source(library, header), output)
    (lib / f"lib{library.name}.so").symlink_to(soname)


def source(library: StubLibrary, header: str) -> str:
    """Return a library's C source for its preprocessed header."""
    wanted = re.compile(library.functions)
    declared = {f.name: f for f in functions(header) if wanted.match(f.name)}
    bodies = [_definition(library, function) for function in declared.values()]
    return "\n".join([f"#include <{library.header}>", *bodies, ""])


def _definition(library: StubLibrary, function: Function) -> str:
    # A macro of the header may have the function's name: parentheses keep it from expanding.
    head = f"{function.result} ({function.name})({function.parameters})"
    return f"{head} {{ {_body(library, function)} }}"


def _body(library: StubLibrary, function: Function) -> str:
    if status := dict(library.status).get(function.result):
        return f"return {status};"
    if function.result == "void":
        return ""
    if "char" in function.result:
        return f'return "{library.name}: no device";'
    return "return 0;"


def _flags(include: Path) -> tuple[str, ...]:
    return ("-x", "c", "-std=gnu11", "-w", "-D__HIP_PLATFORM_AMD__", "-isystem", str(include))
