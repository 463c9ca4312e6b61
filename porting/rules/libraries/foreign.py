"""Names of NVIDIA libraries that ROCm has no port of, known by their prefix or namespace."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.libraries.codes import FOREIGN
from porting.rules.libraries.scopes import Use, declares, qualifier, use_of
from porting.rules.unit import Unit


@dataclass(frozen=True)
class _Library:
    name: str
    names: str  # regular expression on identifiers
    advice: str


_LIBRARIES: Final = (
    _Library(
        "NPP",
        r"npp[is]?[A-Z]\w*|Npp[A-Z0-9]\w*|NPP_\w+|NPPI_\w+",
        "use RPP (rpp.h) for images and signals, or write the kernel",
    ),
    _Library(
        "nvJPEG", r"nvjpeg[A-Z]\w*|NVJPEG_\w+", "use rocJPEG, whose decoder has its own interface"
    ),
    _Library("cuTENSOR", r"cutensor[A-Z]\w*|CUTENSOR_\w+", "use hipTensor (hiptensor.h)"),
    _Library(
        "CUPTI", r"cupti[A-Z]\w*|CUpti_\w+|CUPTI_\w+", "use rocprofiler-sdk's callbacks and buffers"
    ),
    _Library("OptiX", r"optix[A-Z]\w*|Optix[A-Z]\w*|OPTIX_\w+", "use HIP RT (hiprt.h)"),
    _Library(
        "GPUDirect Storage",
        r"cuFile[A-Z]\w*|CUfile\w+|CU_?FILE_\w+",
        "use hipFile, or read and copy",
    ),
    _Library(
        "NVSHMEM", r"nvshmemx?_\w+|NVSHMEMX?_\w+", "use rocSHMEM, whose names begin with rocshmem_"
    ),
    _Library(
        "Video Codec SDK",
        r"cuvid[A-Z]\w*|CUVID\w+|NvEnc[A-Z]\w*|NV_ENC_\w+",
        "use rocDecode or AMF",
    ),
    _Library("nvJitLink", r"nvJitLink\w+", "use hiprtcLinkCreate and hiprtcLinkAddData"),
    _Library("the PTX compiler", r"nvPTXCompile\w+", "compile HIP source by hiprtc"),
    _Library("nvFatbin", r"nvFatbin\w+", "bundle code objects by clang-offload-bundler"),
    _Library("nvCOMP", r"nvcomp[A-Z]\w*|NVCOMP_\w+", "use hipCOMP"),
    _Library("cuDLA", r"cudla[A-Z]\w*|cudlaDev\w+", "AMD GPUs have no such accelerator"),
    _Library(
        "NVTX's C++ interface",
        r"NVTX3_(?:FUNC_RANGE|V\d_)\w*",
        "use roctxRangePush and roctxRangePop in a guard object",
    ),
    _Library("EGL interop", r"cuEGL\w+|cudaEGL\w+", "share buffers by external memory instead"),
)
_BY_NAME: Final = re.compile("|".join(f"({library.names})" for library in _LIBRARIES))
# The first letters of every pattern above: most identifiers fail here.
_FIRST: Final = ("npp", "Npp", "NPP", "nv", "NV", "Nv", "cu", "CU", "opt", "Opt", "OPT")

_NAMESPACES: Final = {
    "cutlass": (
        "CUTLASS",
        "use Composable Kernel (ck::), hipBLASLt or rocWMMA; the templates have no HIP form",
    ),
    "cute": ("CuTe", "use Composable Kernel's tensor descriptors; CuTe has no HIP form"),
    "nvinfer1": ("TensorRT", "use MIGraphX"),
    "nvtx3": ("NVTX's C++ interface", "use roctxRangePush and roctxRangePop in a guard object"),
    "nvstd": (
        "<nvfunctional>",
        "take the function object as a template parameter",
    ),
    "cuco": ("cuCollections", "there is no port for ROCm; write the table or use rocPRIM"),
    "nvcomp": ("nvCOMP", "use hipCOMP"),
    "cudnn_frontend": ("cuDNN's front end", "use hipDNN, or MIOpen's graph interface"),
    "nvbench": ("nvbench", "time with hipEvents or a benchmark library"),
    "cudaq": ("CUDA-Q", "there is no port for ROCm"),
}


def check_foreign(unit: Unit) -> Iterator[Diagnostic]:
    """Yield an error where a name of such a library stands; one per name and line."""
    for name in unit.starting_with(*_FIRST):
        yield from _by_name(unit, name)
    for namespace in sorted(_NAMESPACES.keys() & unit.index.keys()):
        if not declares(unit, namespace) and not _is_in_tree(unit, namespace):
            yield from _by_namespace(unit, namespace)


def _is_in_tree(unit: Unit, namespace: str) -> bool:
    """Whether the tree carries the library's headers: then they are ported like its own."""
    return any(f"/{namespace}/" in f"/{path}" for path in unit.project.files)


def _by_name(unit: Unit, name: str) -> Iterator[Diagnostic]:
    match = _BY_NAME.fullmatch(name)
    if match is None or name in unit.project.declared or unit.names.get(name) is not None:
        return
    library = _LIBRARIES[(match.lastindex or 1) - 1]
    told: set[int] = set()
    for number in unit.where(name):
        token = unit.tokens[number]
        line = unit.source.line_of(token.start)
        if line not in told:
            told.add(line)
            message = f"'{name}' belongs to {library.name}, which ROCm has no port of"
            yield unit.diagnose(FOREIGN, token, message, help=library.advice)


def _by_namespace(unit: Unit, namespace: str) -> Iterator[Diagnostic]:
    """Yield one error a file: such libraries are used in every line or not at all."""
    library, advice = _NAMESPACES[namespace]
    for number in unit.where(namespace):
        if use_of(unit, number) is not Use.OTHER and not qualifier(unit, number):
            message = f"namespace '{namespace}' is {library}'s, which ROCm has no port of"
            token = unit.tokens[number]
            yield unit.diagnose(FOREIGN, token, message, help=advice, symbol=namespace)
            return
