"""Packages, libraries and sources that a build looks for: ROCm's in the place of CUDA's."""

import re

from porting.buildfiles.cmake.commands import Command
from porting.buildfiles.cmake.conversion import Conversion
from porting.buildfiles.cmake.languages import architectures, enabled, packages
from porting.buildfiles.cmake.references import ROCM_ROOT, drop_setting
from porting.buildfiles.codes import LIBRARY_MISSING, SETTING_DROPPED
from porting.buildfiles.libraries import library

# Packages besides CUDA's toolkit: ROCm's package in their place.
_PACKAGES = {
    "NCCL": "rccl",
    "Thrust": "rocthrust",
    "CUB": "hipcub",
    "cub": "hipcub",
    "NVTX": "",
    "nvtx3": "",
}
# What ROCm has nothing like, with what may help.
_WITHOUT_COUNTERPART = {
    "cutlass": "CUTLASS is for NVIDIA's tensor cores; composable_kernel is AMD's library",
    "NvidiaCutlass": "CUTLASS is for NVIDIA's tensor cores; composable_kernel is AMD's library",
    "CUDNN": "cuDNN has no drop-in; MIOpen is AMD's library, with an interface of its own",
    "cuDNN": "cuDNN has no drop-in; MIOpen is AMD's library, with an interface of its own",
    "TensorRT": "TensorRT has no drop-in; MIGraphX is AMD's library",
    "OptiX": "OptiX has no counterpart",
    "CCCL": "use rocThrust, hipCUB and libhipcxx by their own packages",
    "libcudacxx": "use libhipcxx",
    "rmm": "RMM is for CUDA; hipMM is AMD's port",
    "raft": "RAFT is for CUDA",
    "cudf": "cuDF is for CUDA; hipDF is AMD's port",
    "cuco": "cuCollections is for CUDA; hipCollections is AMD's port",
    "cuCollections": "cuCollections is for CUDA; hipCollections is AMD's port",
    "nvbench": "nvbench is for CUDA",
    "matx": "MatX is for CUDA",
    "cccl": "use rocThrust, hipCUB and libhipcxx by their own packages",
    "thrust": "use rocThrust: find_package(rocthrust)",
    "nvshmem": "use rocSHMEM",
    "NVSHMEM": "use rocSHMEM",
    "cutensor": "use hipTensor",
    "flashinfer": "FlashInfer is for CUDA",
    "flash-attention": "use the ROCm branch of flash-attention",
}
_HEADERS = {
    "nccl.h": "rccl/rccl.h",
    "cuda.h": "hip/hip_runtime.h",
    "cuda_runtime.h": "hip/hip_runtime.h",
    "cuda_runtime_api.h": "hip/hip_runtime_api.h",
    "cublas_v2.h": "hipblas/hipblas.h",
    "cufft.h": "hipfft/hipfft.h",
    "curand.h": "hiprand/hiprand.h",
    "cusparse.h": "hipsparse/hipsparse.h",
    "cusolverDn.h": "hipsolver/hipsolver.h",
    "nvrtc.h": "hip/hiprtc.h",
    "nvToolsExt.h": "roctracer/roctx.h",
    "nvtx3/nvToolsExt.h": "roctracer/roctx.h",
    "cub/cub.cuh": "hipcub/hipcub.hpp",
}
_FETCHED = re.compile(r"(?i)nvidia/(\w[\w-]*)|rapidsai/(\w[\w-]*)|github\.com/[\w-]+/(cutlass)")


def find_package(conversion: Conversion, command: Command) -> None:
    """Find ROCm's packages in the place of one of CUDA's."""
    name = command.values[0] if command.values else ""
    if name in ("CUDA", "CUDAToolkit"):
        _toolkit(conversion, command, legacy=name == "CUDA")
    elif name in _PACKAGES and not _own_module(conversion, name):
        _other_package(conversion, command, _PACKAGES[name])
    elif name in _WITHOUT_COUNTERPART and not _own_module(conversion, name):
        message = f"{name}: {_WITHOUT_COUNTERPART[name]}"
        conversion.edits.say(LIBRARY_MISSING, command.start, message)


def _toolkit(conversion: Conversion, command: Command, *, legacy: bool) -> None:
    how = tuple(word for word in command.values if word in ("REQUIRED", "QUIET"))
    lines = packages(conversion, how)
    if legacy and not conversion.project.enables_cuda:
        lines = [*_enabled(conversion, command, how, lines)]
    conversion.edits.become(command, *lines)
    dropped = [w for w in command.values[1:] if re.fullmatch(r"[\d.]+", w) or w == "EXACT"]
    if dropped:
        message = f"version {dropped[0]} of CUDA: ROCm's packages have versions of their own"
        conversion.edits.say(SETTING_DROPPED, command.start, message)


def _enabled(
    conversion: Conversion, command: Command, how: tuple[str, ...], lines: list[str]
) -> list[str]:
    """Return lines with HIP enabled before them; only where there is a compiler when optional."""
    first = architectures(conversion, command)
    if "REQUIRED" in how:
        return [*first, *enabled(), *lines]
    inner = [*enabled(), *lines]
    return [
        *first,
        "include(CheckLanguage)",
        "check_language(HIP)",
        "if(CMAKE_HIP_COMPILER)",
        *(f"  {line}" for line in inner),
        "endif()",
    ]


def _own_module(conversion: Conversion, name: str) -> bool:
    """Whether the tree brings its own Find module, which is converted by itself."""
    paths = conversion.project.context.paths | conversion.project.listings.keys()
    return any(path.rpartition("/")[2] == f"Find{name}.cmake" for path in paths)


def _other_package(conversion: Conversion, command: Command, package: str) -> None:
    if not package:
        drop_setting(conversion, command, command.values[0], "roctx has no CMake package")
        return
    argument = command.args[0]
    conversion.edits.replace(argument.inner, argument.inner_end, package)
    for other in command.args[1:]:
        if re.fullmatch(r"[\d.]+", other.value):
            conversion.edits.cut_argument(other)


def find_library(conversion: Conversion, command: Command) -> None:
    """Look for ROCm's library."""
    seen: set[str] = set()
    for argument in command.args[1:]:
        bare = argument.value.removeprefix("lib").removesuffix(".so")
        found = library(bare)
        if found is None:
            continue
        if not found.link:
            conversion.edits.say(LIBRARY_MISSING, argument.start, f"{bare}: {found.reason}")
            return
        name = argument.value.replace(bare, found.link[0])
        if name in seen:
            conversion.edits.cut_argument(argument)
        else:
            conversion.edits.replace(argument.inner, argument.inner_end, name)
        if not seen:
            _hint(conversion, command, "lib")
        seen.add(name)


def find_path(conversion: Conversion, command: Command) -> None:
    """Look for ROCm's header."""
    for argument in command.args[1:]:
        if new := _HEADERS.get(argument.value):
            conversion.edits.replace(argument.inner, argument.inner_end, new)
            _hint(conversion, command, "include")


def _hint(conversion: Conversion, command: Command, folder: str) -> None:
    """Name ROCm's own folder among the places to look in."""
    place = f"{ROCM_ROOT}/{folder}"
    if "HINTS" in command.values:
        argument = command.args[command.keyword("HINTS")]
        conversion.edits.replace(argument.start, argument.end, f"HINTS {place}")
    else:
        last = next((a for a in command.args[2:] if a.value in _AFTER_NAMES), None)
        if last is not None:
            conversion.edits.replace(last.start, last.end, f"HINTS {place} {last.value}")
        else:
            end = command.args[-1].end
            conversion.edits.replace(end, end, f" HINTS {place}")


_AFTER_NAMES = frozenset(
    """PATHS PATH_SUFFIXES DOC REQUIRED NO_CACHE NO_DEFAULT_PATH NO_PACKAGE_ROOT_PATH NO_CMAKE_PATH
    NO_CMAKE_ENVIRONMENT_PATH NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_SYSTEM_PATH VALIDATOR
    ENV""".split()
)


def include(conversion: Conversion, command: Command) -> None:
    """Leave FindCUDA's own modules out."""
    if command.values and command.values[0].startswith("FindCUDA"):
        drop_setting(conversion, command, command.values[0], "a module of FindCUDA")


def fetched(conversion: Conversion, command: Command) -> None:
    """Report a dependency that is fetched and is for CUDA alone."""
    for argument in command.args:
        match = _FETCHED.search(argument.value)
        name = next((part for part in match.groups() if part), "") if match else argument.value
        name = name.removesuffix(".git")
        if name in _WITHOUT_COUNTERPART:
            message = f"{name}: {_WITHOUT_COUNTERPART[name]}"
            conversion.edits.say(LIBRARY_MISSING, argument.start, message)
            return
