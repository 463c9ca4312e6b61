"""__ldcg, __stcs and their kin, and __ldg of types that HIP's __ldg does not take."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.device.calls import NUMBERS, CallEdits, pointee
from porting.rules.device.codes import CACHE_HINT, CACHE_HINT_UNKNOWN
from porting.rules.unit import Unit
from porting.syntax import IDENT, Call

_STREAM: Final = "stream"
_PLAIN: Final = "plain"
# Hint -> what it asks for: streaming, nothing, or that memory of a scope is read or written.
_LOADS: Final = {
    "__ldg": _PLAIN,
    "__ldca": _PLAIN,
    "__ldcs": _STREAM,
    "__ldlu": _STREAM,
    "__ldcg": "AGENT",
    "__ldcv": "SYSTEM",
}
_STORES: Final = {
    "__stwb": _PLAIN,
    "__stcg": _PLAIN,
    "__stcs": _STREAM,
    "__stwt": "SYSTEM",
}
# Types that HIP's __ldg does not take.
_NO_LDG: Final = frozenset(
    ("__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "nv_bfloat162", "bool")
)
NAMES: Final = (*_LOADS, *_STORES)


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one hinted load or store."""
    name = unit.tokens[call.name].text
    if name in _LOADS and len(call.arguments) == 1:
        yield from _load(unit, call, _LOADS[name])
    elif name in _STORES and len(call.arguments) == 2:  # noqa: PLR2004 - pointer and value
        yield from _store(unit, call, _STORES[name])


def _load(unit: Unit, call: Call, hint: str) -> Iterator[Diagnostic]:
    edits = CallEdits(unit, call)
    name = edits.name.text
    words = pointee(unit, call.arguments[0])
    is_number = bool(words) and words <= NUMBERS
    if name == "__ldg" and not words & _NO_LDG:
        return
    if hint == _STREAM and is_number:
        edits.rename("__builtin_nontemporal_load")
        yield edits.done(CACHE_HINT, f"{name} becomes a nontemporal load")
    elif hint not in (_STREAM, _PLAIN) and is_number:
        edits.rename("__hip_atomic_load")
        edits.append(f", __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_{hint}")
        yield edits.done(
            CACHE_HINT, f"{name} becomes a relaxed atomic load of {hint.lower()} scope"
        )
    elif hint == "SYSTEM":
        yield edits.done(
            CACHE_HINT_UNKNOWN,
            f"{name} reads memory anew, and the type it reads is not known here",
            "read through a volatile pointer",
        )
    else:
        _dereference(edits)
        yield edits.done(CACHE_HINT, f"{name} becomes a plain load; the hint about caches is lost")


def _dereference(edits: CallEdits) -> None:
    """Write `f(p)` as `*p`, `*(p + 1)` or, in front of a postfix operator, `(*p)`."""
    tokens, call = edits.tokens, edits.call
    argument = call.arguments[0]
    if argument.last - argument.first > 1:
        edits.rename("(*" if edits.has_postfix else "*")
        if edits.has_postfix:
            edits.after(")")
        return
    name = edits.name.text
    start, end = edits.name.start, tokens[argument.first].start
    edits.edits.append(Edit(start, end, "(*" if edits.has_postfix else "*", name))
    close = tokens[call.close]
    edits.edits.append(
        Edit(tokens[argument.last - 1].end, close.end, ")" if edits.has_postfix else "", name)
    )


def _store(unit: Unit, call: Call, hint: str) -> Iterator[Diagnostic]:
    edits = CallEdits(unit, call)
    name = edits.name.text
    words = pointee(unit, call.arguments[0])
    is_number = bool(words) and words <= NUMBERS
    if hint == "SYSTEM" and not is_number:
        yield edits.done(
            CACHE_HINT_UNKNOWN,
            f"{name} writes through to memory, and the type it writes is not known here",
            "write through a volatile pointer",
        )
    elif hint == "SYSTEM":
        edits.rename("__hip_atomic_store")
        edits.append(f", __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_{hint}")
        yield edits.done(CACHE_HINT, f"{name} becomes a relaxed atomic store of system scope")
    elif hint == _STREAM and is_number and _may_move(unit, call):
        text = f"__builtin_nontemporal_store({edits.text(1)}, {edits.text(0)})"
        edits.whole(text)
        yield edits.done(CACHE_HINT, f"{name} becomes a nontemporal store")
    else:
        _assign(edits)
        yield edits.done(CACHE_HINT, f"{name} becomes a plain store; the hint about caches is lost")


def _may_move(unit: Unit, call: Call) -> bool:
    """Whether the arguments hold no name that another rewrite could be about."""
    names = (t.text for t in unit.tokens[call.open + 1 : call.close] if t.kind == IDENT)
    return all(not name.startswith("__") and unit.names.get(name) is None for name in names)


def _assign(edits: CallEdits) -> None:
    """Write `f(p, v)` as `*(p) = v`."""
    tokens, call = edits.tokens, edits.call
    pointer, value = call.arguments
    statement = edits.is_statement
    edits.rename("*" if statement else "(*")
    between = Edit(tokens[pointer.last - 1].end, tokens[value.first].start, ") = ", edits.name.text)
    edits.edits.append(between)
    if statement:
        close = tokens[call.close]
        edits.edits.append(Edit(tokens[value.last - 1].end, close.end, "", edits.name.text))
