"""Which preprocessor branches a ROCm build sees, in code already written for both platforms."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from porting.syntax.expressions import Truth, evaluate
from porting.syntax.tokens import Directive, Lexed, Token
from porting.syntax.words import words

# Macros that are defined in a ROCm build: by the compiler, the HIP headers, or (USE_ROCM, ...) by
# the build systems of projects that support both platforms.
ROCM_MACROS: Final = words(
    "__HIP__ __HIPCC__ __HIP_PLATFORM_AMD__ __HIP_PLATFORM_HCC__ __HCC__ __HIP_PLATFORM_CLANG__"
    " HIP_VERSION HIP_VERSION_MAJOR USE_ROCM USE_HIP ENABLE_ROCM WITH_ROCM BUILD_ROCM WITH_HIP"
    " ENABLE_HIP USE_AMD ROCM_VERSION TORCH_HIP_VERSION"
)
# Macros that are defined in some passes or for some GPUs of a ROCm build, and never elsewhere.
DEVICE_MACROS: Final = words(
    "__HIP_DEVICE_COMPILE__ __HIPCC_RTC__ __AMDGCN__ __AMDGPU__ __AMDGCN_WAVEFRONT_SIZE"
    " __AMDGCN_WAVEFRONT_SIZE__"
)
# Macros that only NVIDIA's compilers define.
CUDA_MACROS: Final = words(
    "__CUDACC__ __NVCC__ __CUDA_ARCH__ __CUDACC_RTC__ __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__"
    " __HIP_PLATFORM_NVIDIA__ __HIP_PLATFORM_NVCC__ USE_CUDA ENABLE_CUDA WITH_CUDA"
)
_CONDITIONS: Final = frozenset(("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"))
_GFX: Final = re.compile(r"__(?:gfx|GFX)[0-9a-f]+__")
# How projects call their own switch for ROCm: GGML_USE_HIP, KOKKOS_ENABLE_HIP, HAVE_ROCM, ...
_SWITCH: Final = re.compile(
    r"(?:\w+_)?(?:USE|WITH|ENABLED?|HAVE|HAS|BUILD|BUILDING|FOR|TARGET|IS|PLATFORM|BACKEND)"
    r"_(?:HIP|ROCM|AMDGPU|AMD_GPU)(?:_\w+|BLAS)?|(?:\w+_)?(?:HIP|ROCM)_(?:ENABLED|PLATFORM|BACKEND)"
)


class Side(StrEnum):
    """Who compiles a branch of a conditional that knows both platforms."""

    BOTH = "both"
    CUDA = "cuda"  # false in every ROCm build
    ROCM = "rocm"  # true only in a ROCm build


@dataclass(frozen=True, slots=True)
class Branch:
    """The text between two directives of one #if ... #endif chain; offsets of the text between."""

    start: int
    end: int
    side: Side
    directive: int


class Conditionals:
    """The branches of a file that belong to one platform only.

    A chain counts as written for both platforms when one of its conditions names a macro of
    ROCM_MACROS or DEVICE_MACROS, one of `extra_macros`, or one that is called like a project's
    switch for ROCm.  An include guard is no condition.  Other chains are of no interest here.
    """

    def __init__(self, lexed: Lexed, extra_macros: Sequence[str] = ()) -> None:
        self._tokens = lexed.tokens
        self._directives = lexed.directives
        self._rocm = ROCM_MACROS.union(extra_macros, self._switches())
        self.branches: tuple[Branch, ...] = tuple(self._read(lexed.directives))
        one_sided = sorted((b for b in self.branches if b.side is not Side.BOTH), key=_start)
        self._outer = _outermost(one_sided)
        self._starts = [branch.start for branch in self._outer]
        self.platform_directives = frozenset(self._platform_directives(lexed.directives))

    def side(self, offset: int) -> Side:
        """Return who compiles the byte at `offset`."""
        at = bisect_right(self._starts, offset) - 1
        if at >= 0 and offset < self._outer[at].end:
            return self._outer[at].side
        return Side.BOTH

    def one_sided(self) -> list[Branch]:
        """Return the outermost branches that only one platform compiles, by place."""
        return self._outer

    def _switches(self) -> set[str]:
        """Return the macros in conditions that are called like a switch for ROCm."""
        return {
            word
            for number, directive in enumerate(self._directives)
            if directive.name in _CONDITIONS and not self._is_guard(number)
            for word in self._operands(directive)
            if _SWITCH.fullmatch(word)
        }

    def _is_guard(self, number: int) -> bool:
        """Whether the directive is the `#ifndef X` of `#ifndef X`, `#define X`."""
        directive = self._directives[number]
        if directive.name != "ifndef" or number + 1 >= len(self._directives):
            return False
        after = self._directives[number + 1]
        return (
            after.name == "define"
            and max(directive.first, after.first) < len(self._tokens)
            and self._tokens.words[directive.first] == self._tokens.words[after.first]
        )

    def _read(self, directives: Sequence[Directive]) -> list[Branch]:
        branches: list[Branch] = []
        for chain in chains(directives):
            if any(self._knows_rocm(i) for i in chain):
                branches += self._branches(directives, chain)
        return branches

    def _knows_rocm(self, number: int) -> bool:
        if self._is_guard(number):
            return False
        return any(
            word in self._rocm or _is_device_macro(word)
            for word in self._operands(self._directives[number])
        )

    def _operands(self, directive: Directive) -> Sequence[str]:
        if directive.name in ("else", "endif"):
            return ()
        return self._tokens.words[directive.first : directive.last]

    def _branches(self, directives: Sequence[Directive], chain: Sequence[int]) -> list[Branch]:
        found: list[Branch] = []
        earlier_rocm = earlier_cuda = Truth.FALSE  # whether an earlier branch was taken
        for this, after in pairwise(chain):
            directive = directives[this]
            on_rocm = ~earlier_rocm & self._holds(directive, rocm=True)
            on_cuda = ~earlier_cuda & self._holds(directive, rocm=False)
            earlier_rocm, earlier_cuda = earlier_rocm | on_rocm, earlier_cuda | on_cuda
            side = Side.BOTH
            if on_rocm is Truth.FALSE:
                side = Side.CUDA
            elif on_cuda is Truth.FALSE:
                side = Side.ROCM
            found.append(Branch(directive.end, directives[after].start, side, this))
        return found

    def _holds(self, directive: Directive, *, rocm: bool) -> Truth:
        defined: AbstractSet[str] = self._rocm
        undefined: AbstractSet[str] = CUDA_MACROS
        if not rocm:
            devices = {word for word in self._operands(directive) if _is_device_macro(word)}
            defined, undefined = frozenset(), self._rocm | devices
        return condition_holds(self._tokens, directive, defined, undefined)

    def _platform_directives(self, directives: Sequence[Directive]) -> list[int]:
        inside: list[int] = []
        for chain in chains(directives):
            if any(self._knows_rocm(i) for i in chain):
                inside += chain
        return inside


def _is_device_macro(name: str) -> bool:
    return name in DEVICE_MACROS or _GFX.fullmatch(name) is not None


def _start(branch: Branch) -> int:
    return branch.start


def _outermost(branches: Sequence[Branch]) -> list[Branch]:
    kept: list[Branch] = []
    for branch in branches:
        if not kept or branch.start >= kept[-1].end:
            kept.append(branch)
    return kept


def condition_holds(
    tokens: Sequence[Token],
    directive: Directive,
    defined: AbstractSet[str] = frozenset(),
    undefined: AbstractSet[str] = frozenset(),
    values: Mapping[str, int] | None = None,
) -> Truth:
    """Return whether the branch behind a directive of a chain is taken if it is reached."""
    if directive.name in ("else", "endif"):
        return Truth.TRUE
    operands = tokens[directive.first : directive.last]
    if directive.name in ("ifdef", "ifndef", "elifdef", "elifndef"):
        name = operands[0].text if operands else ""
        holds = Truth.of_macro(name, defined | (values or {}).keys(), undefined)
        return ~holds if directive.name.endswith("ndef") else holds
    return evaluate(operands, defined, undefined, values or {})


def chains(directives: Sequence[Directive]) -> list[list[int]]:
    """Return the indices of the directives of every #if ... #endif chain that is closed."""
    done: list[list[int]] = []
    open_chains: list[list[int]] = []
    for index, directive in enumerate(directives):
        if directive.name in ("if", "ifdef", "ifndef"):
            open_chains.append([index])
        elif directive.name in ("elif", "else", "elifdef", "elifndef") and open_chains:
            open_chains[-1].append(index)
        elif directive.name == "endif" and open_chains:
            chain = open_chains.pop()
            chain.append(index)
            done.append(chain)
    return done


def scopes(directives: Sequence[Directive]) -> list[tuple[int, ...]]:
    """Return, for every directive, the branches around it as the indices of their directives.

    What stands in scope `outer` is also seen in `inner` when `inner` starts with `outer`.  The
    directives of a chain belong to the scope around it.
    """
    found: list[tuple[int, ...]] = []
    around: tuple[int, ...] = ()
    for index, directive in enumerate(directives):
        if directive.name in ("if", "ifdef", "ifndef"):
            found.append(around)
            around = (*around, index)
        elif directive.name in ("elif", "else", "elifdef", "elifndef") and around:
            found.append(around[:-1])
            around = (*around[:-1], index)
        elif directive.name == "endif" and around:
            around = around[:-1]
            found.append(around)
        else:
            found.append(around)
    return found
