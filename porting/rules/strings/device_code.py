"""Kernel source, PTX and compile options in strings, for compilation at run time."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from porting.diagnostics import Diagnostic
from porting.mapping import Status
from porting.rules.strings.codes import BINARY, SOURCE
from porting.rules.unit import Unit
from porting.syntax import (
    IDENT,
    RAW_STRING,
    callee_of,
    enclosing_bracket,
    looks_like_cuda,
    tokenize,
)

_DEVICE: Final = re.compile(
    r"__global__|__device__|__shared__|\bthreadIdx\b|\bblockIdx\b|__shfl|__ballot|__syncthreads"
)
_PTX: Final = re.compile(r"\.target\s+sm_\d+|\.visible\s+\.entry|\.version\s+\d\.\d")
_OPTION: Final = re.compile(
    r'"[^"]*?(?:-gencode\b|(?:--?(?:gpu-)?arch(?:itecture)?[= ])?\b(?:compute|sm)_(?:\d|%|"$|"\Z))'
)
_FILES: Final = re.compile(r'"[^"]*\.(?:ptx|cubin|fatbin)"')
_LOADERS: Final = re.compile(r"(?:cu|hip)ModuleLoad\w*|(?:cu|cuda|hip)LibraryLoad\w*|cuLink\w+")
_HINT: Final = re.compile(
    r"__global__|__device__|threadIdx|\bsm_|compute_|\.target|\.ptx|\.cubin|\.fatbin|__shfl"
)
# Device names that keep their spelling and still mean something else, or need a wider mask.
_WARP: Final = re.compile(
    r"__(?:shfl|ballot|any|all|match|reduce_(?:add|min|max|and|or|xor))\w*|__activemask|__syncwarp"
    r"|__popc|warpSize|asm|__asm__"
)
_SHOWN: Final = 8


def check_device_code(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a finding for every string that a GPU compiler or loader is to read."""
    if not _HINT.search(unit.string_text):
        return
    for group in _literals(unit.strings):
        text = "".join(_content(unit, number) for number in group)
        token = unit.tokens[group[0]]
        end = unit.tokens[group[-1]].end - 1
        if _PTX.search(text):
            help_text = "ship the kernel as source or as a code object made with --offload-arch"
            yield unit.diagnose(
                BINARY, token, "PTX in a string", help=help_text, symbol="PTX", end=end
            )
        elif _DEVICE.search(text) and "{" in text and ";" in text:
            yield _source(unit, group, text)
        else:
            yield from _option_or_file(unit, group)


def _literals(strings: Sequence[int]) -> Iterator[list[int]]:
    """Yield the string tokens that the compiler joins into one literal."""
    group = list(strings[:1])
    for before, number in pairwise(strings):
        if number == before + 1:
            group.append(number)
        else:
            yield group
            group = [number]
    if group:
        yield group


def _content(unit: Unit, number: int) -> str:
    token = unit.tokens[number]
    text = token.text
    if token.kind == RAW_STRING:
        return text[text.index("(") + 1 : text.rindex(")")]
    return text[text.index('"') + 1 :].removesuffix('"').replace("\\n", "\n").replace("\\t", "\t")


def _source(unit: Unit, group: Sequence[int], text: str) -> Diagnostic:
    names = _names(unit, text)
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    message = "device code in a string is not ported"
    if names:
        message += f"; it uses {shown}"
    help_text = "write it in HIP (names, 64-bit lane masks), or move it to a file that is ported"
    token = unit.tokens[group[0]]
    symbol = names[0] if names else "__global__"
    end = unit.tokens[group[-1]].end - 1
    return unit.diagnose(SOURCE, token, message, help=help_text, symbol=symbol, end=end)


def _names(unit: Unit, text: str) -> list[str]:
    """Return the CUDA names of some source that mean something else, or nothing, in HIP."""
    found: dict[str, None] = {}
    for token in tokenize(text).tokens:
        if token.kind != IDENT or token.text in found:
            continue
        name = unit.names.get(token.text)
        changes = name is not None and name.status is not Status.UNCHANGED
        if _WARP.fullmatch(token.text) or (changes and looks_like_cuda(token.text)):
            found[token.text] = None
    return list(found)


def _option_or_file(unit: Unit, group: Sequence[int]) -> Iterator[Diagnostic]:
    for number in group:
        token = unit.tokens[number]
        if _OPTION.match(token.text) and _is_option(unit, token.text):
            text = f"{token.text} is a compile option for NVIDIA GPUs"
            help_text = "pass --offload-arch=gfx... to hiprtcCompileProgram"
            yield unit.diagnose(BINARY, token, text, help=help_text, symbol=token.text.strip('"'))
        elif _FILES.fullmatch(token.text) and _LOADERS.fullmatch(_callee(unit, number)):
            text = f"{token.text} is loaded, which HIP cannot read"
            help_text = "compile the kernel with --offload-arch into a code object (.hsaco or .co)"
            yield unit.diagnose(BINARY, token, text, help=help_text, symbol=token.text.strip('"'))


def _is_option(unit: Unit, text: str) -> bool:
    """Whether the program compiles at run time, or the string is an option by its form."""
    return text.startswith(('"-', '"--')) or "rtcCompileProgram" in unit.source.text


def _callee(unit: Unit, number: int) -> str:
    opener = enclosing_bracket(unit.tokens, number)
    return "" if opener is None else callee_of(unit.tokens, opener)
