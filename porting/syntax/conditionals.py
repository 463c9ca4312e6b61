"""Which preprocessor branches a ROCm build sees, in code already written for both platforms."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from porting.syntax.expressions import Truth, evaluate
from porting.syntax.tokens import Directive, Lexed, Token

# Macros that are defined in a ROCm build: by the compiler, the HIP headers, or (USE_ROCM, ...) by
# the build systems of projects that support both platforms.
ROCM_MACROS: Final = frozenset(
    "__HIP__ __HIPCC__ __HIP_PLATFORM_AMD__ __HIP_PLATFORM_HCC__ __HIP_DEVICE_COMPILE__ __HCC__"
    " __HIP_PLATFORM_CLANG__ __HIPCC_RTC__ HIP_VERSION HIP_VERSION_MAJOR USE_ROCM USE_HIP"
    " ENABLE_ROCM WITH_ROCM BUILD_ROCM WITH_HIP ENABLE_HIP USE_AMD ROCM_VERSION TORCH_HIP_VERSION"
    " __AMDGCN__ __AMDGPU__ __gfx90a__ __gfx942__ __gfx1100__ __GFX9__ __GFX11__".split()
)
# Macros that only NVIDIA's compilers define.
CUDA_MACROS: Final = frozenset(
    "__CUDACC__ __NVCC__ __CUDA_ARCH__ __CUDACC_RTC__ __CUDACC_VER_MAJOR__ __CUDACC_VER_MINOR__"
    " __HIP_PLATFORM_NVIDIA__ __HIP_PLATFORM_NVCC__ USE_CUDA ENABLE_CUDA WITH_CUDA".split()
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
    ROCM_MACROS (or of `extra_macros`).  Other chains are of no interest here.
    """

    def __init__(self, lexed: Lexed, extra_macros: Sequence[str] = ()) -> None:
        self._rocm = ROCM_MACROS.union(extra_macros)
        self._tokens = lexed.tokens
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

    def _read(self, directives: Sequence[Directive]) -> list[Branch]:
        chains = _chains(directives)
        branches: list[Branch] = []
        for chain in chains:
            if any(self._knows_rocm(directives[i]) for i in chain):
                branches += self._branches(directives, chain)
        return branches

    def _knows_rocm(self, directive: Directive) -> bool:
        return any(t.text in self._rocm for t in self._operands(directive))

    def _operands(self, directive: Directive) -> Sequence[Token]:
        if directive.name in ("else", "endif"):
            return ()
        return self._tokens[directive.first : directive.last]

    def _branches(self, directives: Sequence[Directive], chain: Sequence[int]) -> list[Branch]:
        found: list[Branch] = []
        earlier_rocm = earlier_cuda = Truth.FALSE  # whether an earlier branch was taken
        for this, after in zip(chain, chain[1:], strict=False):
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
        operands = self._operands(directive)
        defined, undefined = (self._rocm, CUDA_MACROS) if rocm else (frozenset[str](), self._rocm)
        if directive.name in ("ifdef", "ifndef", "elifdef", "elifndef"):
            name = operands[0].text if operands else ""
            holds = Truth.of_macro(name, defined, undefined)
            return ~holds if directive.name.endswith("ndef") else holds
        if directive.name == "else":
            return Truth.TRUE
        return evaluate(operands, defined, undefined)

    def _platform_directives(self, directives: Sequence[Directive]) -> list[int]:
        inside: list[int] = []
        for chain in _chains(directives):
            if any(self._knows_rocm(directives[i]) for i in chain):
                inside += chain
        return inside


def _start(branch: Branch) -> int:
    return branch.start


def _outermost(branches: Sequence[Branch]) -> list[Branch]:
    kept: list[Branch] = []
    for branch in branches:
        if not kept or branch.start >= kept[-1].end:
            kept.append(branch)
    return kept


def _chains(directives: Sequence[Directive]) -> list[list[int]]:
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
