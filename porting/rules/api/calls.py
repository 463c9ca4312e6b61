"""Fit each call of a listed function to HIP's parameter list, or say why it cannot be."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.edits import Edit
from porting.rules.api.c_forms import C_SIGNATURES
from porting.rules.api.changes import RefusedError, Symbol, is_c, is_null
from porting.rules.api.codes import ADAPTED, LAUNCH_CONFIG, MENTIONED, OTHER_SIGNATURE, SYMBOL
from porting.rules.api.forms import Signature
from porting.rules.api.redirects import applicable
from porting.rules.api.signatures import SIGNATURES
from porting.rules.unit import Unit
from porting.syntax import Argument, Call, Token, call_at, match_bracket, split_arguments

# Functions whose C prototypes differ in length or in types that only a caller can supply.
_BY_VALUE: Final = (
    "cuMemcpy cuMemcpyAsync cuMemcpyPeer cuMemcpyPeerAsync cuFuncSetAttribute"
    " cuFuncSetCacheConfig cuFuncSetSharedMemConfig cuOccupancyMaxPotentialBlockSize"
    " cuOccupancyMaxPotentialBlockSizeWithFlags cudaGraphInstantiate cuGraphInstantiate"
    " cudaGraphExecUpdate cuGraphExecUpdate cuGetProcAddress cudaMemAdvise"
    " cudaMemPrefetchAsync cuMemAdvise cuMemPrefetchAsync"
)
DIFFERENT_AS_POINTERS: Final = frozenset(_BY_VALUE.split())
_PACKS: Final = frozenset(("__VA_ARGS__", "..."))


def check_calls(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what is to be said about the calls of every function in the table."""
    tables = (C_SIGNATURES, SIGNATURES) if is_c(unit) else (SIGNATURES,)
    for name in sorted(set().union(*tables) & unit.index.keys()):
        if name in unit.project.declared:
            continue
        known = tuple(form for table in tables for form in table.get(name, ()))
        for number in unit.where(name):
            call = called_at(unit, number)
            if call is not None and not is_member(unit, number):
                yield from _fit(unit, call, known)


def check_mentions(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a warning where a function of another shape is used as a value."""
    for name in sorted(DIFFERENT_AS_POINTERS & unit.index.keys()):
        if name in unit.project.declared:
            continue
        for number in unit.where(name):
            member = is_member(unit, number)
            if member or called_at(unit, number) is None:
                yield _mention(unit, unit.tokens[number], "is used here without arguments")


def _mention(unit: Unit, token: Token, how: str) -> Diagnostic:
    """Return the warning about a function whose arguments are supplied elsewhere."""
    return unit.diagnose(
        MENTIONED,
        token,
        f"'{token.text}' {how}, and HIP's counterpart takes others",
        help="check that whoever calls through this passes what the HIP prototype asks for; take"
        " its type from the HIP header (decltype), not from a declaration written out by hand",
    )


def called_at(unit: Unit, number: int) -> Call | None:
    """Return the call of a function: `f(a, b)`, or `f, (a, b)` as checking macros take it."""
    tokens = unit.tokens
    call = call_at(tokens, number)
    if call is not None or number + 2 >= len(tokens):
        return call
    if tokens[number + 1].text != "," or tokens[number + 2].text != "(":
        return None
    close = match_bracket(tokens, number + 2)
    if close is None or close + 1 >= len(tokens) or tokens[close + 1].text not in (")", ","):
        return None
    return Call(number, number + 2, close, split_arguments(tokens, number + 3, close))


def is_member(unit: Unit, number: int) -> bool:
    """Whether an identifier is reached through an object (`x.f`, `p->f`)."""
    return number > 0 and unit.tokens[number - 1].text in (".", "->")


def is_open(unit: Unit, argument: Argument) -> bool:
    """Whether an argument can stand for any number of them (a pack, __VA_ARGS__)."""
    return any(t.text in _PACKS for t in unit.tokens[argument.first : argument.last])


def count_of(unit: Unit, call: Call) -> int | None:
    """Return how many arguments a call passes, None when the text does not tell."""
    if any(is_open(unit, argument) for argument in call.arguments):
        return None
    return len(call.arguments)


def hold(unit: Unit, token: Token) -> Edit:
    """Return an edit that keeps a name as it is, so that no later rule renames it."""
    return Edit(token.start, token.end, unit.source.text[token.start : token.end], token.text)


def refusal(unit: Unit, token: Token, why: str, advice: str) -> Diagnostic:
    """Return the error for a call that has no HIP form; the CUDA name stays."""
    return unit.diagnose(
        OTHER_SIGNATURE,
        token,
        f"'{token.text}' as called here has no HIP form in ROCm {unit.target.rocm}: {why}",
        help=advice,
        edits=[hold(unit, token)],
    )


def _fit(unit: Unit, call: Call, forms: tuple[Signature, ...]) -> Iterator[Edit | Diagnostic]:
    count = count_of(unit, call)
    release = unit.target.release
    form = next((form for form in forms if _covers(unit, call, form, count)), None)
    token = unit.tokens[call.name]
    if form is None:
        if count is None and any(f.since <= release < f.until for f in forms):
            yield _mention(unit, token, "is called with arguments that the text does not show")
        return
    changes = applicable(form.changes, token.text, unit.names, unit.project)
    if form.refuse:
        yield refusal(unit, token, form.refuse, form.help)
        return
    try:
        edits = [edit for change in changes for edit in change.edits(unit, call)]
    except RefusedError as refused:
        yield refusal(unit, token, str(refused), form.help)
        return
    except IndexError:  # fewer arguments than the form has: a declaration, or a macro's business
        return
    if edits and not _is_plain_rename(unit, token, edits):
        code = SYMBOL if any(isinstance(c, Symbol) for c in changes) else ADAPTED
        note = form.note if changes is form.changes else "HIP's name is a macro of this tree"
        yield unit.diagnose(code, token, f"'{token.text}': {note}", edits=edits)


def _is_plain_rename(unit: Unit, token: Token, edits: list[Edit]) -> bool:
    """Whether all that is left to do is what the name tables say anyway."""
    name = unit.names.get(token.text)
    return len(edits) == 1 and name is not None and edits[0].replacement == name.target


def _covers(unit: Unit, call: Call, form: Signature, count: int | None) -> bool:
    if not form.covers(count, unit.target.release):
        return False
    return form.null < 0 or is_null(unit, call.arguments[form.null])


def check_launch_config(unit: Unit) -> Iterator[Diagnostic]:
    """Yield where a launch by configuration structure ties the code to ROCm 7."""
    for number in unit.where("cudaLaunchKernelEx"):
        if "cudaLaunchKernelEx" in unit.project.declared or unit.target.release < (7, 0):
            continue
        yield unit.diagnose(
            LAUNCH_CONFIG,
            unit.tokens[number],
            "'cudaLaunchKernelEx' becomes hipLaunchKernelEx, which needs ROCm 7.0 or newer",
            severity=Severity.NOTE,
        )
