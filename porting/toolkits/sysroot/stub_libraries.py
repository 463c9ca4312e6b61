"""Loadable stand-ins for the libraries above HIP, so that ported programs link and load.

Every function that a header of the tree declares is exported, and each answers as the real library
does before it has found a device: with its "not initialized" status.  They compute nothing.
"""

from dataclasses import dataclass
from pathlib import Path

from porting.libraries import Library, libraries
from porting.toolkits.clang import Clang
from porting.toolkits.stub_library import StubLibrary, write


@dataclass(frozen=True)
class RocmLibrary:
    """A library of ROCm, and the stand-in for it."""

    stub: StubLibrary
    library: Library

    def soname(self, rocm: str) -> str | None:
        """Return the SONAME in a release, or None when it is not known."""
        return None if self.library.major(rocm) is None else self.library.soname(rocm)

    @property
    def target(self) -> str:
        """The CMake target, empty where ROCm has no package for the library."""
        return self.library.rocm.target


def _library(name: str, header: str, functions: str, status: str) -> RocmLibrary:
    result, _, value = status.partition("=")
    row = next(library for library in libraries().values() if library.rocm.name == name)
    return RocmLibrary(StubLibrary(name, header, functions, (result, value)), row)


# fmt: off
LIBRARIES = (
    # Of each: its name, its header, its functions, what they answer.
    _library("hipblas", "hipblas/hipblas.h", "hipblas(?!Lt)",
             "hipblasStatus_t=HIPBLAS_STATUS_NOT_INITIALIZED"),
    _library("hipblaslt", "hipblaslt/hipblaslt.h", "hipblas(Lt|lt)",
             "hipblasStatus_t=HIPBLAS_STATUS_NOT_INITIALIZED"),
    _library("hipfft", "hipfft/hipfft.h", "hipfft",
             "hipfftResult_t=HIPFFT_SETUP_FAILED"),
    _library("hiprand", "hiprand/hiprand.h", "hiprand",
             "hiprandStatus=HIPRAND_STATUS_NOT_INITIALIZED"),
    _library("hipsolver", "hipsolver/hipsolver.h", "hipsolver",
             "hipsolverStatus_t=HIPSOLVER_STATUS_NOT_INITIALIZED"),
    _library("hipsparse", "hipsparse/hipsparse.h", "hipsparse(?!Lt)",
             "hipsparseStatus_t=HIPSPARSE_STATUS_NOT_INITIALIZED"),
    _library("rccl", "rccl/rccl.h", "p?nccl",
             "ncclResult_t=ncclUnhandledCudaError"),
    _library("hiprtc", "hip/hiprtc.h", "hiprtc",
             "hiprtcResult=HIPRTC_ERROR_INTERNAL_ERROR"),
    _library("roctx64", "roctracer/roctx.h", "roctx", "int=-1"),
)
# fmt: on


def write_libraries(
    clang: Clang, include: Path, lib: Path, rocm: str
) -> list[tuple[RocmLibrary, str]]:
    """Compile each library whose header the tree has; return those written with their SONAME.

    Raises ToolchainError.
    """
    flags = ("-x", "c", "-std=gnu11", "-w", "-D__HIP_PLATFORM_AMD__", "-isystem", include)
    lld = clang.tool("ld.lld")
    linker = [f"--ld-path={lld}"] if lld else []
    written = []
    for library in LIBRARIES:
        soname = library.soname(rocm)
        if soname is not None and (include / library.stub.header).is_file():
            write(library.stub, soname, (clang.path, *flags), lib, linker)
            written.append((library, soname))
    return written
