"""What is missing on this machine, which is no fault of the tree, and where it comes from."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from porting.building.problems import Problem
from porting.libraries import libraries
from porting.toolkits import cuda
from porting.toolkits.platforms import CUDA, PLATFORMS

_ABSENT: Final = re.compile(
    r"Could NOT find|Could not find \S+ using the following|No module named"
    r"|could not find (?:a package|Cargo|`)|not found: No such file"
    r"|By not providing \"Find|no matching package|Dependency .* not found|cannot find -l"
    r"|No CMAKE_\w+_COMPILER could be found|file not found|No such file or directory"
    r"|cannot open source file"
    r"|Killed signal terminated program"  # for want of memory
)
# An input file that a compiler's driver does not find is the tree's own.
_LOST: Final = re.compile(r"\.(?:c|cc|cpp|cxx|cu|hip|o|a|so|rs): No such file or directory$")
# gcc, clang, nvcc's front end
_HEADER: Final = re.compile(
    r"^(?:(?P<gcc>\S+): No such file or directory|'(?P<clang>[^']+)' file not found"
    r"|cannot open source file \"(?P<edg>[^\"]+)\")"
)
_TARGET: Final = re.compile(r"links to: CUDA::(\w+) but the target was not found")
_FOUND_TOOLKIT: Final = re.compile(r"^-- Found CUDAToolkit: ", re.MULTILINE)
_MODULE: Final = re.compile(r"Couldn't find requested CUDA module '(\w+)'")
_LINKED: Final = re.compile(r"cannot find -l(\w[\w-]*)")
_NO_TORCH: Final = "CUDA_HOME environment variable is not set"
# Libraries of a toolkit that nothing here maps, by their names in FindCUDAToolkit.
_UNMAPPED: Final = re.compile(
    r"npp\w+|nvjpeg|nvJitLink|nvfatbin|nvptxcompiler|nvrtc_builtins|nvperf_\w+|nvtx3_interop"
    r"|pcsamplingutil|cupti|cufile(?:_rdma)?|cusolver_(?:lapack|metis)|culibos|OpenCL"
)
_GET_CUDA: Final = (
    f"set {CUDA.variables[0]} to what `porting sysroot create --platform cuda` prints"
)


@dataclass(frozen=True)
class Where:
    """What a problem is seen against: the platform, the files of the tree, the build's output."""

    platform: str
    files: tuple[str, ...] = ()
    output: str = ""


@dataclass(frozen=True)
class Missing:
    """What is missing, in words, and what to do; `help` is empty where nobody knows."""

    text: str
    help: str = ""


def missing(problem: Problem, where: Where) -> Missing | None:
    """Return what is not on this machine when that is the problem, None when it is the tree's."""
    if _NO_TORCH in problem.text:
        return _torch(where.platform)
    if header_in_tree(problem, where.files) or not _is_absent(problem, where.output):
        return None
    names = (*_libraries_named(problem.text), _header(problem.text))
    has_it = where.platform == CUDA.name and any(map(cuda.has, filter(None, names)))
    return Missing(problem.text, _GET_CUDA if has_it else "")


def header_in_tree(problem: Problem, files: Iterable[str]) -> str:
    """Return the file of the tree whose path ends with the header that was not found, or ""."""
    name = _header(problem.text)
    if not name or not problem.path:
        return ""
    return next((file for file in files if f"/{file}".endswith(f"/{name}")), "")


def _is_absent(problem: Problem, output: str) -> bool:
    if target := _TARGET.search(problem.text):
        # Without find_package, none of them is there: that is the tree's.
        return _is_of_cuda(target[1]) and _FOUND_TOOLKIT.search(output) is not None
    if module := _MODULE.search(problem.text):
        return _is_of_cuda(module[1])
    is_lost = not problem.path and _LOST.search(problem.text) is not None
    return _ABSENT.search(problem.text) is not None and not is_lost


def _torch(platform: str) -> Missing:
    # torch forgets what CUDA_HOME says when it was not built for CUDA itself.
    title = next(each.title for each in PLATFORMS if each.name == platform)
    others = " or ".join(each.title for each in PLATFORMS if each.name != platform)
    return Missing(
        f"this PyTorch is not for {title}: it is one for the CPU or for {others}",
        f"install PyTorch for {title} beside porting, and build again",
    )


def _libraries_named(text: str) -> Iterator[str]:
    if target := _TARGET.search(text):
        yield _of_target(target[1])
    for pattern in (_MODULE, _LINKED):
        if found := pattern.search(text):
            yield found[1]


def _of_target(target: str) -> str:
    """Return the library of a target CUDA::`target`, which has its name but for a few."""
    for library in libraries().values():
        if library.cuda is not None and library.cuda.target == f"CUDA::{target}":
            return library.cuda.name
    return target


def _is_of_cuda(name: str) -> bool:
    """Whether a toolkit of CUDA has a library or a target of this name."""
    base = re.sub(r"_static(?:_nocallback)?$", "", name)
    sides = [library.cuda for library in libraries().values() if library.cuda is not None]
    known = {name for side in sides for name in (side.name, side.target.removeprefix("CUDA::"))}
    return base in known or _UNMAPPED.fullmatch(base) is not None


def _header(text: str) -> str:
    found = _HEADER.match(text)
    return next(filter(None, found.groups()), "") if found else ""
