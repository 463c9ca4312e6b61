"""Driver functions asked for by name and version: cuGetProcAddress, cudaGetDriverEntryPoint."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.strings.codes import ENTRY_POINT, NO_ENTRY_POINT
from porting.rules.unit import Unit
from porting.syntax import Argument, Call, call_at

# hipGetProcAddress counts versions as 100 * major + minor (hip_runtime_api.h, its comment).
HIP_LEVEL: Final = "HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR"
_HAS_ENTRY_POINT: Final = (7, 1)
_NULLS: Final = frozenset(("NULL", "nullptr", "0"))
_FORMS: Final = {
    "cuGetProcAddress": (4, 5),
    "cuGetProcAddress_v2": (5,),
    "cudaGetDriverEntryPoint": (3, 4),
    "cudaGetDriverEntryPoint_ptsz": (3, 4),
    "cudaGetDriverEntryPointByVersion": (4, 5),
    "cudaGetDriverEntryPointByVersion_ptsz": (4, 5),
}
ENTRY_POINTS: Final = frozenset(_FORMS)
_DEFAULT: Final = "CU_GET_PROC_ADDRESS_DEFAULT"


def check_entry_points(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what becomes of every mention of a look-up function."""
    for name in _FORMS.keys() & unit.index.keys():
        for number in unit.where(name):
            finding = _finding(unit, number, name)
            if finding is not None:
                yield finding


def _finding(unit: Unit, number: int, name: str) -> Diagnostic | None:
    call = call_at(unit.tokens, number)
    if call is None or len(call.arguments) not in _FORMS[name]:
        if name.startswith("cuGetProcAddress") or call is None:
            return None  # a mention or a declaration: a rename is all it needs
        return _refused(unit, number, f"{name} is called with {len(call.arguments)} arguments")
    if name.startswith("cuGetProcAddress"):
        return _by_level(unit, call)
    edits = _entry_point(unit, call, by_version="ByVersion" in name)
    if edits is None:
        why = f"HIP has no counterpart of {name} before ROCm 7.1 that gives a status"
        return _refused(unit, number, why)
    text = f"{name} becomes {edits[0].replacement}, which takes no CUDA version"
    return unit.diagnose(ENTRY_POINT, unit.tokens[number], text, edits=edits)


def _refused(unit: Unit, number: int, why: str) -> Diagnostic:
    help_text = "take the address of the HIP function, or look it up with dlsym in libamdhip64"
    return unit.diagnose(NO_ENTRY_POINT, unit.tokens[number], why, help=help_text)


def _by_level(unit: Unit, call: Call) -> Diagnostic:
    """Put HIP's version in place of CUDA's; the rename of the function is left to `names`."""
    version, flags = call.arguments[2:4]
    if version.first >= version.last:
        return _refused(unit, call.name, "the wanted version is left out")
    edits = [_replace(unit, version, HIP_LEVEL)]
    if unit.text_of(flags.first, flags.last) == _DEFAULT:
        edits.append(_replace(unit, flags, "0"))
    text = "the wanted version is HIP's own, which counts as 100 * major + minor"
    return unit.diagnose(ENTRY_POINT, unit.tokens[call.name], text, edits=edits)


def _replace(unit: Unit, argument: Argument, text: str) -> Edit:
    tokens = unit.tokens[argument.first : argument.last]
    return Edit(tokens[0].start, tokens[-1].end, text)


def _entry_point(unit: Unit, call: Call, *, by_version: bool) -> list[Edit] | None:
    """Return the edits that make a HIP look-up of a call of the runtime's, None if none does."""
    arguments = list(call.arguments)
    name = unit.tokens[call.name]
    full = 5 if by_version else 4
    status = arguments[full - 1] if len(arguments) == full else None
    flags = arguments[full - 2]
    if unit.target.release >= _HAS_ENTRY_POINT:
        edits = [Edit(name.start, name.end, "hipGetDriverEntryPoint", name.text)]
        if by_version:
            version = unit.tokens[arguments[2].first]
            edits.append(Edit(version.start, unit.tokens[flags.first].start, ""))
    elif status is None or unit.text_of(status.first, status.last) in _NULLS:
        edits = [Edit(name.start, name.end, "hipGetProcAddress", name.text)]
        first = unit.tokens[arguments[2].first].start
        last = unit.tokens[flags.last - 1].end
        edits.append(Edit(first, last, f"{HIP_LEVEL}, 0"))
    else:
        return None
    if status is None:
        close = unit.tokens[call.close].start
        null = "NULL" if unit.source.suffix == ".c" else "nullptr"
        edits.append(Edit(close, close, f", {null}"))
    return edits
