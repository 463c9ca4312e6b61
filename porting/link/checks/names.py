"""Functions of the other vendor that a file leaves undefined."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.link.codes import LEFT_CUDA, LEFT_HIP
from porting.link.follows import CUDA_NAME, HIP_NAME, Follows
from porting.link.subject import Subject
from porting.mapping import Names, Status

# What the headers append to a function's name: an interface's version, a default stream per thread.
_SUFFIX: Final = re.compile(r"(?:_v\d+)?(?:_pt(?:sz|ds))?$")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding per function that no file of the process defines; optional ones are fine."""
    if subject.follows.has_rocm:
        yield from _left_cuda(subject)
    elif subject.follows is not Follows.NONE:
        yield from _left_hip(subject)


def _left(subject: Subject, pattern: re.Pattern[str]) -> list[str]:
    return sorted(
        symbol.name
        for symbol in subject.file.undefined
        if pattern.fullmatch(symbol.name)
        and not symbol.weak
        and not subject.reach.defines(symbol.name)
    )


def _left_cuda(subject: Subject) -> Iterator[Diagnostic]:
    left = _left(subject, CUDA_NAME)
    names = Names.load(subject.question.rocm) if left else None
    for symbol in left:
        known = names and (names.get(symbol) or names.get(_SUFFIX.sub("", symbol)))
        advice = "port the source that calls it"
        if known and known.status is Status.MAPPED:
            advice = f"HIP's is {known.target}; port the source that calls it"
        elif known and known.status is Status.UNSUPPORTED:
            advice = known.help or f"HIP has nothing in its place: {known.reason}"
        message = f"{symbol} is undefined, and no library of ROCm defines it"
        yield subject.found(LEFT_CUDA, message, advice, symbol)


def _left_hip(subject: Subject) -> Iterator[Diagnostic]:
    needs_hip = any(True for _ in subject.needed("rocm"))
    for symbol in [] if needs_hip else _left(subject, HIP_NAME):
        message = f"{symbol} is undefined, and no library of CUDA defines it"
        advice = "link the objects of the CUDA build; this one is of a ROCm build"
        yield subject.found(LEFT_HIP, message, advice, symbol)
