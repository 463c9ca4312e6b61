"""Decisions by numbers that mean something else on AMD GPUs: capability, version."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.semantics.codes import CAPABILITY, LAUNCH_BOUNDS, VERSION
from porting.rules.unit import Unit
from porting.rules.variables import integer, is_a, owner_of, start_of_chain
from porting.syntax import Call

_COMPARISONS: Final = frozenset(("<", ">", "<=", ">=", "==", "!="))
_ARITHMETIC: Final = frozenset(("*", "+", "/"))
_PROPERTIES: Final = ("cudaDeviceProp", "cudaDeviceProp_t")
_PROPERTIES_NAME: Final = re.compile(
    r"(?i)\w*(?:prop|gpu|cuda)\w*|getCurrentDeviceProperties|getDeviceProperties"
)
_ATTRIBUTES: Final = (
    "cudaDevAttrComputeCapabilityMajor",
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR",
    "cuDeviceComputeCapability",
)
_VERSIONS: Final = ("cudaRuntimeGetVersion", "cudaDriverGetVersion", "cuDriverGetVersion")


def check_capability(unit: Unit) -> Iterator[Diagnostic]:
    """Yield decisions by the compute capability and by version numbers, and launch bounds."""
    yield from _check_members(unit)
    for name in _ATTRIBUTES:
        for number in unit.where(name):
            yield unit.diagnose(
                CAPABILITY,
                unit.tokens[number],
                f"'{name}' gives the gfx version on AMD GPUs (9, 10, 11, 12), not a capability",
                help="ask for the feature that the capability stands for, or decide by platform",
            )
    yield from _check_versions(unit)
    yield from _check_launch_bounds(unit)


def _check_members(unit: Unit) -> Iterator[Diagnostic]:
    told: set[int] = set()
    for number in unit.where("major"):
        line = unit.source.line_of(unit.tokens[number].start)
        if line in told or not _is_decided_by(unit, number):
            continue
        at = owner_of(unit, number)
        owner = unit.tokens[at].text if at is not None else ""
        if at is not None and (_PROPERTIES_NAME.fullmatch(owner) or is_a(unit, at, _PROPERTIES)):
            told.add(line)
            yield unit.diagnose(
                CAPABILITY,
                unit.tokens[number],
                f"'{owner}' has the gfx version as its major on AMD GPUs (9, 10, 11, 12)",
                help="ask for the feature that the capability stands for, or decide by platform",
            )


def _is_decided_by(unit: Unit, number: int) -> bool:
    """Whether the member is compared or computed with, itself or through a variable."""
    after = unit.tokens[number + 1].text if number + 1 < len(unit.tokens) else ""
    if after in _COMPARISONS or after in _ARITHMETIC:
        return True
    start = start_of_chain(unit, number)
    before = [t.text for t in unit.tokens[max(start - 2, 0) : start]]
    if before[-1:] == ["="] and len(before) == 2:  # noqa: PLR2004
        return _is_compared_later(unit, before[0], number)
    return before == ["switch", "("] or not {"*", *_COMPARISONS}.isdisjoint(before[-1:])


def _is_compared_later(unit: Unit, variable: str, number: int) -> bool:
    """Whether a variable of the function around a token is compared after it."""
    function = unit.functions.around(number)
    last = function.close if function is not None else len(unit.tokens)
    for use in (n for n in unit.where(variable) if number < n < last - 1):
        beside = {unit.tokens[use - 1].text, unit.tokens[use + 1].text}
        if beside & _COMPARISONS or [t.text for t in unit.tokens[use - 2 : use]] == ["switch", "("]:
            return True
    return False


def _check_versions(unit: Unit) -> Iterator[Diagnostic]:
    for name in _VERSIONS:
        for call in unit.calls(name):
            variable = _written_to(unit, call, 0)
            function = unit.functions.around(call.name)
            last = function.close if function is not None else len(unit.tokens)
            used = [n for n in unit.where(variable) if call.close < n < last] if variable else []
            if any(_is_read_as_version(unit, n) for n in used):
                yield unit.diagnose(
                    VERSION,
                    unit.tokens[call.name],
                    f"'{variable}' is read as a CUDA version; HIP's is major * 10000000 + minor *"
                    " 100000 + patch",
                    help="compare with HIP_VERSION, or decide by the platform",
                )


def _is_read_as_version(unit: Unit, number: int) -> bool:
    after = [t.text for t in unit.tokens[number + 1 : number + 3]]
    if len(after) < 2 or after[0] not in _COMPARISONS | {"/", "%"}:  # noqa: PLR2004
        return False
    value = integer(after[1])
    return after[1].startswith(("CUDART_VERSION", "CUDA_VERSION")) or (
        value is not None and value >= 10  # noqa: PLR2004
    )


def _written_to(unit: Unit, call: Call, argument: int) -> str:
    if len(call.arguments) <= argument:
        return ""
    place = call.arguments[argument]
    words = [t.text for t in unit.tokens[place.first : place.last]]
    return words[1] if len(words) == 2 and words[0] == "&" else ""  # noqa: PLR2004


def _check_launch_bounds(unit: Unit) -> Iterator[Diagnostic]:
    for call in unit.calls("__launch_bounds__"):
        if len(call.arguments) != 2:  # noqa: PLR2004
            continue
        second = unit.text_of(call.arguments[1].first, call.arguments[1].last)
        if second not in ("0", "1"):  # one block asks for no more than one wave does
            yield unit.diagnose(
                LAUNCH_BOUNDS,
                unit.tokens[call.name],
                "the second bound counts waves on a SIMD unit in HIP, blocks on a multiprocessor in"
                " CUDA; it only guides the use of registers, results stay the same",
            )
