"""Compare how many units of a tree compile after each of two conversions.

A unit counts when the headers of others that it needs exist here.  It is left out when a header is
missing that is neither CUDA's (finding its HIP name is the converters' work) nor the tree's own
(so is keeping it in reach), unless one of the two conversions compiles, which proves that it can.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from benchmarks.real_trees.compiling import Compiler, Side, Work, sides
from benchmarks.real_trees.remembered import Outcome
from ci.checkers.cuda_names import CudaNames

_CUDA = re.compile(rb"cuda|CUDA|\bcu[A-Z]\w|<<<|\bnccl[A-Z]")
_UNITS = (".cu", ".cpp", ".cc", ".cxx")


@dataclass(frozen=True)
class Converted:
    """A converted tree.

    `names`: the new paths of renamed files.  `flags`: the compiler's.  `folders`: where the tree's
    headers are.
    """

    root: Path
    names: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()

    def work(self, path: str, side: Side) -> Work:
        """Return what is to be compiled for an input file."""
        unit = Path(self.names.get(path, path))
        return Work(self.root, unit, side, self.flags, self.folders)


@dataclass(frozen=True)
class UnitResult:
    """Both conversions of one half of one unit; `excluded` is the header that nobody has here."""

    unit: str
    side: Side
    ours: Outcome
    peer: Outcome
    excluded: str = ""


def cuda_units(tree: Path) -> list[str]:
    """Return the units of a tree that have to do with CUDA, sorted."""
    return sorted(
        path.relative_to(tree).as_posix()
        for path in tree.rglob("*")
        if path.suffix in _UNITS and (path.suffix == ".cu" or _CUDA.search(path.read_bytes()))
    )


@dataclass(frozen=True)
class Comparison:
    """What units are compiled with; each Nth unit of a tree is."""

    compiler: Compiler
    names: CudaNames
    every: int = 1

    def of(self, tree: Path, ours: Converted, peer: Converted) -> list[UnitResult]:
        """Compile the units of a tree in both conversions."""
        todo = [(unit, side) for unit in cuda_units(tree)[:: self.every] for side in sides(unit)]
        work = [tree.work(unit, side) for tree in (ours, peer) for unit, side in todo]
        outcomes = self.compiler.run(work)
        half = len(todo)
        own = {path.name.lower() for path in tree.rglob("*") if path.is_file()}
        return [
            UnitResult(unit, side, a, b, _excluded(a, b, own, self.names))
            for (unit, side), a, b in zip(todo, outcomes[:half], outcomes[half:], strict=True)
        ]


def _excluded(ours: Outcome, peer: Outcome, own: set[str], names: CudaNames) -> str:
    """Return the missing header that takes a unit out of the comparison, or nothing."""
    if ours.passed or peer.passed:
        return ""
    for missing in (ours.missing, peer.missing):
        if missing and not _is_cuda(missing, names) and not _is_own(missing, own):
            return missing
    return ""


def _is_cuda(header: str, names: CudaNames) -> bool:
    """Whether a header is CUDA's, or one of torch's that only its CUDA build has."""
    return header in names.headers or "cuda" in PurePosixPath(header).parts


def _is_own(header: str, own: set[str]) -> bool:
    """Whether a header is one of the tree's, under its old name or one a converter gave it."""
    name = PurePosixPath(header).name.lower()
    return bool({name, name.replace("_hip.", "."), name.replace("hip", "cuda")} & own)
