"""The CUDA names that a port must not leave behind, read from the published tables."""

import re
from dataclasses import dataclass, field
from pathlib import Path

# Fields of structures have everyday names and are renamed by context only; `used` and `legacy`
# names are in no current CUDA header.
_KINDS = frozenset(("function", "type", "macro", "enumerator", "variable", "using"))
_COLUMNS = 7
# What the workings of CUDA's headers use among themselves, such as `y` and `__restrict__`.
_INNER = "private.tsv"
_LIBRARY = re.compile(
    r"(?:lib)?(?:cuda|cudart|cudadevrt|cublas|cublasLt|cufft|curand|cusparse|cusolver|cudnn|nccl"
    r"|nvrtc|nvidia-ml|nvToolsExt|nvJitLink|cupti)(?:_static)?(?:\.so(?:\.\d+)*|\.dylib|\.dll)?"
)


@dataclass
class CudaNames:
    """Identifiers and headers of CUDA that are called otherwise in HIP, or do not exist there."""

    identifiers: set[str] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)

    def knows(self, word: str) -> bool:
        """Whether a word in a string is a CUDA name: an identifier, a header or a library."""
        return (
            word in self.identifiers or word in self.headers or _LIBRARY.fullmatch(word) is not None
        )


def read_names(folder: Path, rocm: str) -> CudaNames:
    """Read the tables of a folder for one ROCm release."""
    names = CudaNames()
    for path in sorted(folder.glob("*.tsv")):
        if path.name == _INNER:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#") or line.count("\t") < _COLUMNS:
                continue
            name, kind, _, target, _, first, last, *_ = line.split("\t")
            if target == "=" and _exists(rocm, first, last):
                continue
            if kind == "header":
                names.headers.add(name)
            elif kind in _KINDS:
                names.identifiers.add(name)
    return names


def _exists(rocm: str, first: str, last: str) -> bool:
    wanted = _release(rocm)
    return (not first or _release(first) <= wanted) and (not last or wanted <= _release(last))


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
