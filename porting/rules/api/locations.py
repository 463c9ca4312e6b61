"""cudaMemAdvise and cudaMemPrefetchAsync: a device number in CUDA 12, a location in CUDA 13."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.api.calls import called_at, count_of, is_member, refusal
from porting.rules.api.changes import is_null, span_of
from porting.rules.api.codes import ADAPTED
from porting.rules.unit import Unit
from porting.rules.variables import declarations, is_a
from porting.syntax import IDENT, Argument, Call, Token, match_bracket, split_arguments

_V2_SINCE: Final = (7, 1)
_TYPES: Final = ("cudaMemLocation", "CUmemLocation", "CUmemLocation_st", "hipMemLocation")
_DEVICE_KINDS: Final = frozenset(
    ("cudaMemLocationTypeDevice", "CU_MEM_LOCATION_TYPE_DEVICE", "hipMemLocationTypeDevice")
)
_HOST_KINDS: Final = frozenset(
    ("cudaMemLocationTypeHost", "CU_MEM_LOCATION_TYPE_HOST", "hipMemLocationTypeHost")
)


@dataclass(frozen=True)
class _Function:
    hip: str
    where: int  # index of the argument that says where
    numbers: tuple[int, ...]  # argument counts that can only be the CUDA 12 form
    locations: tuple[int, ...]  # argument counts that can only be the CUDA 13 form


_ADVISE: Final = _Function("hipMemAdvise", 3, (), ())
_PREFETCH: Final = _Function("hipMemPrefetchAsync", 2, (3,), (5,))
FUNCTIONS: Final = {
    f"{prefix}{name}{suffix}": function
    for name, function in (("MemAdvise", _ADVISE), ("MemPrefetchAsync", _PREFETCH))
    for prefix in ("cuda", "cu")
    for suffix in ("", "_v2")
}


def check_locations(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield how each call that names a memory location is to be made in HIP."""
    for name in sorted(FUNCTIONS.keys() & unit.index.keys()):
        if name in unit.project.declared:
            continue
        for number in unit.where(name):
            call = called_at(unit, number)
            if call is not None and not is_member(unit, number):
                yield from _check_call(unit, call, FUNCTIONS[name])


def _check_call(unit: Unit, call: Call, function: _Function) -> Iterator[Edit | Diagnostic]:
    count = count_of(unit, call)
    token = unit.tokens[call.name]
    if count is None or count <= function.where:
        return
    argument = call.arguments[function.where]
    if not (token.text.endswith("_v2") or _is_location(unit, argument, function, count)):
        return
    if unit.target.release >= _V2_SINCE:
        target = f"{function.hip}_v2"
        edit = Edit(token.start, token.end, target, token.text)
        message = f"'{token.text}' with a location is {target}"
        yield unit.diagnose(ADAPTED, token, message, edits=[edit])
        return
    edits = _unwrap(unit, call, function)
    flags = call.arguments[function.where + 1 : function.where + 2]
    if edits is None or (function is _PREFETCH and not (flags and is_null(unit, flags[0]))):
        yield _refuse(unit, call, function)
    else:
        yield _with_device(unit, call, function, edits)


def _is_location(unit: Unit, argument: Argument, function: _Function, count: int) -> bool:
    if count in function.locations:
        return True
    if count in function.numbers:
        return False
    return _gives_location(unit, argument)


def _gives_location(unit: Unit, argument: Argument) -> bool:
    """Whether an expression is a location: by its type, or by what it names last."""
    texts = [t.text for t in unit.tokens[argument.first : argument.last]]
    if any(text in _TYPES for text in texts) or "{" in texts:
        return True
    if texts[:1] == ["("] and match_bracket(unit.tokens, argument.first) == argument.last - 1:
        return _gives_location(unit, Argument(argument.first + 1, argument.last - 1))
    # the name before a bracket tells the type of `where`, `this->where`, `places[i]`, `of(device)`
    end = argument.first + min(texts.index(b) if b in texts else len(texts) for b in ("[", "("))
    named = [n for n in range(argument.first, end) if unit.tokens[n].kind == IDENT]
    if not named:
        return False
    if is_a(unit, named[-1], _TYPES) or _returns_location(unit, named[-1]):
        return True
    first = _deduced_from(unit, named[-1])
    return first is not None and _gives_location(unit, first)


def _returns_location(unit: Unit, number: int) -> bool:
    """Whether the name at a token is that of a function declared to return a location."""
    tokens = unit.tokens
    return any(
        at + 1 < len(tokens) and tokens[at + 1].text == "("
        for kind in _TYPES
        for at in declarations(unit, kind, tokens[number].text)
    )


def _deduced_from(unit: Unit, number: int) -> Argument | None:
    """Return the initializer of the variable at a token where it is declared with `auto`."""
    tokens = unit.tokens
    for at in declarations(unit, "auto", tokens[number].text):
        if at < number and at + 1 < len(tokens) and tokens[at + 1].text in ("=", "{", "("):
            end = next((n for n in range(at + 2, number) if tokens[n].text == ";"), number)
            return Argument(at + 2, end)
    return None


def _braced(unit: Unit, argument: Argument) -> tuple[str, Argument] | None:
    """Return kind and number in `{kind, number}`, also with designators or a type before."""
    tokens = unit.tokens
    opener = argument.first
    while opener < argument.last and (tokens[opener].kind == IDENT or tokens[opener].text == "::"):
        opener += 1
    if opener >= argument.last or tokens[opener].text != "{":
        return None
    closer = match_bracket(tokens, opener)
    if closer != argument.last - 1:
        return None
    parts = [_value_of(tokens, part) for part in split_arguments(tokens, opener + 1, closer)]
    if not parts or parts[0].first >= parts[0].last:
        return None
    number = parts[1] if len(parts) > 1 else Argument(closer, closer)
    return tokens[parts[0].last - 1].text, number


def _value_of(tokens: Sequence[Token], part: Argument) -> Argument:
    """Return an initializer without its designator (`.id = dev` gives `dev`)."""
    if tokens[part.first].text == "." and tokens[part.first + 2].text == "=":
        return Argument(part.first + 3, part.last)
    return part


def _unwrap(unit: Unit, call: Call, function: _Function) -> list[Edit] | None:
    """Return the edits that pass the device of a location written in place; None if not known."""
    argument = call.arguments[function.where]
    braced = _braced(unit, argument)
    if braced is None:
        return None
    kind, number = braced
    start, end = span_of(unit, argument)
    if kind in _HOST_KINDS:
        return [Edit(start, end, "hipCpuDeviceId")]
    if kind not in _DEVICE_KINDS or number.first >= number.last:
        return None
    inner_start, inner_end = span_of(unit, number)
    return [Edit(start, inner_start, ""), Edit(inner_end, end, "")]


def _with_device(unit: Unit, call: Call, function: _Function, edits: list[Edit]) -> Diagnostic:
    token = unit.tokens[call.name]
    edits = [Edit(token.start, token.end, function.hip, token.text), *edits]
    if function is _PREFETCH:
        _, end = span_of(unit, call.arguments[function.where])
        _, after_flags = span_of(unit, call.arguments[function.where + 1])
        edits.append(Edit(end, after_flags, ""))
    message = f"'{token.text}' takes a device number before ROCm 7.1; the location was unwrapped"
    return unit.diagnose(ADAPTED, token, message, edits=edits)


def _refuse(unit: Unit, call: Call, function: _Function) -> Diagnostic:
    token = unit.tokens[call.name]
    return refusal(
        unit,
        token,
        f"{function.hip} takes a device number, and the location may be the host",
        "pass the device number, and hipCpuDeviceId where the location is the host; or target"
        f" ROCm 7.1, which has {function.hip}_v2",
    )
