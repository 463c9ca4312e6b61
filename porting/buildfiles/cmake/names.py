"""CMake's names for CUDA: variables, imported targets, and what they become."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

from porting.buildfiles.cmake_variables import SAME_FOR_HIP
from porting.buildfiles.libraries import Linked, library


class Action(StrEnum):
    """What is done with a variable; names.tsv says what each means."""

    RENAME = "rename"
    VALUE = "value"
    INCLUDE = "include"
    DROP = "drop"
    ERROR = "error"
    FLAGS = "flags"
    ARCHITECTURES = "architectures"
    SEPARABLE = "separable"
    VERSION = "version"
    VERSION_MAJOR = "version-major"
    VERSION_MINOR = "version-minor"
    LIBRARY = "library"


VERSIONS = frozenset((Action.VERSION, Action.VERSION_MAJOR, Action.VERSION_MINOR))
# Names that a reference to becomes another text; all but these are names of variables again.
VALUES = frozenset((Action.VALUE, Action.INCLUDE, Action.LIBRARY))


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a variable of CMake becomes; `linked`: the library that it names."""

    action: Action
    to: str = ""
    reason: str = ""
    linked: Linked | None = None


_LIBRARY = re.compile(r"CUDA_(\w+?)_LIBRAR(?:Y|IES)")
# FindCUDA's variables that end so and have upper-case names.
_UPPER = {
    "CUDA": "cuda",
    "CUDART": "cudart",
    "CUBLAS": "cublas",
    "CUFFT": "cufft",
    "CUBLASEMU": "cublas",
    "CUFFTEMU": "cufft",
    "CURAND": "curand",
    "CUSPARSE": "cusparse",
    "CUSOLVER": "cusolver",
    "CUDADEVRT": "cudadevrt",
    "NVRTC": "nvrtc",
    "NVTX": "nvToolsExt",
    "NVTOOLSEXT": "nvToolsExt",
    "DRIVER": "cuda",
    "NPP": "npp",
    "CUPTI": "cupti",
}


@cache
def variable(name: str) -> Meaning | None:
    """Return what becomes of a variable that CMake, FindCUDA or FindCUDAToolkit defines."""
    for pattern, meaning in _table():
        if pattern == name:
            return meaning
        if pattern.endswith("*") and name.startswith(pattern[:-1]):
            rest = name.removeprefix(pattern[:-1])
            return Meaning(meaning.action, meaning.to.replace("*", rest), meaning.reason)
    if name == "CUDA_LIBRARIES":
        return Meaning(Action.LIBRARY, linked=library("cudart"))
    if match := _LIBRARY.fullmatch(name):
        found = library(_UPPER.get(match[1], match[1]))
        return Meaning(Action.LIBRARY, linked=found) if found else None
    return None


@cache
def _table() -> tuple[tuple[str, Meaning], ...]:
    text = resources.files("porting.buildfiles.cmake").joinpath("names.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return tuple((name, Meaning(Action(action), to, why)) for name, action, to, why in rows)


# Properties of targets and sources.
RENAMED_PROPERTIES = {f"CUDA_{name}": f"HIP_{name}" for name in (*SAME_FOR_HIP, "ARCHITECTURES")}
DROPPED_PROPERTIES = {
    "CUDA_RESOLVE_DEVICE_SYMBOLS": "clang resolves device symbols where it links with --hip-link",
    "CUDA_RUNTIME_LIBRARY": "libamdhip64 is a shared library only",
}
SEPARABLE_PROPERTY = "CUDA_SEPARABLE_COMPILATION"
IMPOSSIBLE_PROPERTIES = {
    "CUDA_PTX_COMPILATION": "there is no PTX; build a code object with --offload-device-only",
    "CUDA_CUBIN_COMPILATION": "build a code object with --offload-device-only",
    "CUDA_FATBIN_COMPILATION": "build a bundle of code objects with --offload-device-only",
    "CUDA_OPTIX_COMPILATION": "OptiX has no counterpart in ROCm",
}
