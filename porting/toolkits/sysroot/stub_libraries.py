"""Loadable stand-ins for the libraries above HIP, so that ported programs link and load.

Every function that a header of the tree declares is exported, and each answers as the real library
does before it has found a device: with its "not initialized" status.  They compute nothing.
"""

from dataclasses import dataclass
from pathlib import Path

from porting.toolkits.clang import Clang
from porting.toolkits.stub_library import StubLibrary, write


@dataclass(frozen=True)
class RocmLibrary:
    """A library of ROCm: `sonames` are those of ROCm 6 and 7.

    Its CMake target is `namespace`::`stub.name`; None where ROCm has no package for it.
    """

    stub: StubLibrary
    sonames: tuple[str, str]
    namespace: str | None

    def soname(self, rocm: str) -> str | None:
        """Return the SONAME in a release, or None when it is not known."""
        return dict(zip(("6", "7"), self.sonames, strict=True)).get(rocm.partition(".")[0])


def _library(  # noqa: PLR0913, PLR0917 - a row of a table
    name: str, header: str, functions: str, status: str, sonames: str, namespace: str | None
) -> RocmLibrary:
    result, _, value = status.partition("=")
    old, new = (f"lib{name}.so.{major}" for major in sonames.split())
    return RocmLibrary(StubLibrary(name, header, functions, (result, value)), (old, new), namespace)


# fmt: off
LIBRARIES = (
    # name, header, functions, result=value, SONAME majors of ROCm 6 and 7, CMake namespace
    _library("hipblas", "hipblas/hipblas.h", "hipblas(?!Lt)",
             "hipblasStatus_t=HIPBLAS_STATUS_NOT_INITIALIZED", "2 3", "roc"),
    _library("hipblaslt", "hipblaslt/hipblaslt.h", "hipblas(Lt|lt)",
             "hipblasStatus_t=HIPBLAS_STATUS_NOT_INITIALIZED", "0 1", "roc"),
    _library("hipfft", "hipfft/hipfft.h", "hipfft",
             "hipfftResult_t=HIPFFT_SETUP_FAILED", "0 0", "hip"),
    _library("hiprand", "hiprand/hiprand.h", "hiprand",
             "hiprandStatus=HIPRAND_STATUS_NOT_INITIALIZED", "1 1", "hip"),
    _library("hipsolver", "hipsolver/hipsolver.h", "hipsolver",
             "hipsolverStatus_t=HIPSOLVER_STATUS_NOT_INITIALIZED", "0 1", "roc"),
    _library("hipsparse", "hipsparse/hipsparse.h", "hipsparse(?!Lt)",
             "hipsparseStatus_t=HIPSPARSE_STATUS_NOT_INITIALIZED", "1 4", "roc"),
    _library("rccl", "rccl/rccl.h", "p?nccl",
             "ncclResult_t=ncclUnhandledCudaError", "1 1", "roc"),
    _library("hiprtc", "hip/hiprtc.h", "hiprtc",
             "hiprtcResult=HIPRTC_ERROR_INTERNAL_ERROR", "6 7", "hiprtc"),
    _library("roctx64", "roctracer/roctx.h", "roctx", "int=-1", "4 4", None),
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
