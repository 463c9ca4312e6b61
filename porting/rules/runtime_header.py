"""Whether a .cu file needs hip/hip_runtime.h, and where the line goes."""

import math
import re
from collections.abc import Sequence
from typing import Final

from porting.mapping import Name
from porting.rules.ptx.statement import read_statement
from porting.rules.unit import Unit
from porting.source import UTF8_BOM
from porting.syntax import HeaderName, Side
from porting.syntax.words import words

RUNTIME: Final = "hip/hip_runtime.h"
Scope = tuple[int, ...]

# Headers outside the tree that give a .cu file the runtime, before or after the port.  Those of
# PyTorch do so through c10/macros/Macros.h.
_BRINGS = re.compile(
    r"(?:cuda|cuda_runtime|device_launch_parameters|cooperative_groups|curand_kernel"
    r"|hip/(?:hip_runtime|hip_cooperative_groups|math_functions)|hiprand/hiprand_kernel"
    r"|rocrand/rocrand_kernel)\.h"
    r"|(?:cub|hipcub|rocprim|thrust|torch|ATen|c10)/.*"
)
_DEVICE_WORDS: Final = words(
    "__global__ __device__ __host__ __shared__ __constant__ __managed__ __launch_bounds__"
    " threadIdx blockIdx blockDim gridDim warpSize dim3 __syncthreads __syncwarp"
)
_USES_DEVICE: Final = (
    *("__global__", "__device__", "__host__", "__shared__", "__constant__", "__launch_bounds__"),
    *("threadIdx", "blockIdx", "blockDim", "gridDim", "dim3", "atomicAdd", "__syncthreads"),
    *("float2", "float3", "float4", "int2", "int3", "int4", "double2", "cudaStream", "cudaError"),
    *("cudaMem", "cudaDev", "cudaEvent", "CUstream", "CUdeviceptr", "CUfunction", "CUmodule"),
)
_LEGAL = re.compile(r"copyright|licen[cs]e|SPDX", re.IGNORECASE)
_ASM: Final = ("asm", "__asm__", "__asm")
_PTX = re.compile(r"\b[a-z]\w*\.[a-z]")  # `membar.gl`; a host's instructions have no dot inside
_OPENS: Final = ("if", "ifdef", "ifndef")
_LIBRARIES: Final = frozenset(("runtime", "driver", "device"))


def brings_runtime(header: str) -> bool:
    """Whether a header outside the tree declares threadIdx and the runtime API."""
    return _BRINGS.fullmatch(header) is not None


def uses_device(text: str) -> bool:
    """Whether a text, comments included, has words of CUDA's runtime or device language."""
    return any(word in text for word in _USES_DEVICE)


def needs_runtime(unit: Unit, reach: Sequence[Scope]) -> bool:
    """Whether a .cu file uses what nvcc declares by itself before a header declares it."""
    if unit.source.suffix != ".cu":
        return False
    for header in unit.all_headers:
        if not header.is_include or not _is_seen(unit, header, reach):
            continue
        own = _own(unit, header)
        if own in unit.project.runtime_headers or (own is None and brings_runtime(header.path)):
            return False
        if own in unit.project.bare_headers:
            return True
    return _uses_runtime(unit)


def _is_seen(unit: Unit, header: HeaderName, reach: Sequence[Scope]) -> bool:
    """Whether every ROCm build sees the line; inside an unknown #if it may not."""
    side = unit.conditionals.side(header.start)
    return side is Side.ROCM or (side is Side.BOTH and not reach[header.directive])


def _own(unit: Unit, header: HeaderName) -> str | None:
    beside = unit.project.beside(unit.source.path, header.path) if header.quoted else None
    if beside is None and unit.names.header(header.path) is None:
        return unit.project.by_suffix(header.path)
    return beside


def _uses_runtime(unit: Unit) -> bool:
    if not _DEVICE_WORDS.isdisjoint(unit.index):
        return True
    if unit.launches:
        return True
    return any(map(_is_runtimes, unit.known.values())) or _has_ptx(unit)


def _is_runtimes(name: Name) -> bool:
    """Whether a name needs the runtime's header; what replaces an intrinsic may do so too."""
    return name.library in _LIBRARIES or name.kind == "intrinsic"


def _has_ptx(unit: Unit) -> bool:
    """Whether inline PTX is there, which is written with device functions."""
    statements = (read_statement(unit, place) for word in _ASM for place in unit.where(word))
    return any(found is not None and _PTX.search(found.text or "") for found in statements)


def insertion_point(unit: Unit, reach: Sequence[Scope]) -> tuple[int, str, str]:
    """Return the offset for a line in front of the first #include, and texts around the line.

    Without an #include it goes behind the file's opening comment, with an empty line between, and
    so it does where code stands in front of the first.
    """
    code = next((token.start for token in unit.tokens if token.directive < 0), math.inf)
    for header in unit.all_headers:
        if header.is_include and header.start < code:
            outer = reach[header.directive]
            first = outer[0] if outer else header.directive
            while reach[first] or (outer and unit.lexed.directives[first].name not in _OPENS):
                first -= 1
            return line_start(unit, unit.lexed.directives[first].start), "", ""
    return _behind_opening(unit)


def line_start(unit: Unit, offset: int) -> int:
    """Return where the line of an offset starts, behind a byte order mark."""
    line = unit.source.line_of(offset)
    return max(unit.source.line_starts[line - 1], _text_start(unit))


def _text_start(unit: Unit) -> int:
    return len(UTF8_BOM) if unit.source.data.startswith(UTF8_BOM) else 0


def _behind_opening(unit: Unit) -> tuple[int, str, str]:
    """Return the place behind the opening comment, or behind #pragma once."""
    text, newline = unit.source.text, unit.source.newline
    for directive in unit.lexed.directives:
        words = unit.tokens[directive.first : directive.last]
        if directive.name == "pragma" and [w.text for w in words] == ["once"]:
            return min(directive.end + 1, len(text)), "", newline
    first = unit.tokens[0].start if unit.tokens else len(text)
    opening = _text_start(unit)
    for comment in unit.lexed.comments:
        if comment.start > first:
            break
        gap = text[comment.end : comment.end + 4].replace("\r", "")
        if gap.startswith("\n\n") or (opening == _text_start(unit) and _LEGAL.search(comment.text)):
            opening = comment.end
    if opening == _text_start(unit):
        return opening, "", newline
    end = text.find("\n", opening)
    at = end + 1 if end >= 0 else len(text)
    is_apart = text[at : at + 2].lstrip("\r").startswith("\n")
    return at, newline, "" if is_apart else newline
