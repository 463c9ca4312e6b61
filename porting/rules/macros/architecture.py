"""__CUDA_ARCH__, which HIP leaves undefined on the host and on the device."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.edits import Edit
from porting.rules.macros.chains import (
    ARITHMETIC,
    COMPARISONS,
    Arm,
    Choice,
    Content,
    Selection,
    content,
    mentions,
    taken,
)
from porting.rules.macros.codes import ARCHITECTURE, ARCHITECTURE_OPEN
from porting.rules.macros.features import doubtful
from porting.rules.macros.provided import Fallback, fallback
from porting.rules.unit import Unit
from porting.syntax import NUMBER, Directive, Token, Truth, evaluate

ARCH: Final = "__CUDA_ARCH__"
DEVICE: Final = "__HIP_DEVICE_COMPILE__"
_NEWEST: Final = {ARCH: 1200}
_OLDEST: Final = {ARCH: 1}  # a device whose every feature test fails
_JOINS: Final = frozenset(("&&", "||", "?"))
_OPEN_HELP: Final = f"write a branch for AMD GPUs: #if defined({DEVICE})"


def select_by_architecture(
    unit: Unit, arms: tuple[Arm, ...], errors: AbstractSet[int]
) -> Selection:
    """Return which branches of a chain that names __CUDA_ARCH__ a ROCm build should take."""
    host = taken(unit, arms, undefined={ARCH})
    new, old = taken(unit, arms, values=_NEWEST), taken(unit, arms, values=_OLDEST)
    older = fallback(unit, [arm for arm in host if arm not in new])
    if older is Fallback.PROVIDED and _compares(unit, arms):
        return Selection(arms, Choice.NEVER_OLDER, new)
    if older is Fallback.LACKING:
        return Selection(arms, Choice.AS_IS, host)
    choice, wanted = Choice.OPEN, host
    doubt = doubtful(unit, new, old, arms)
    if doubt and content(unit, new, errors) <= Content.PORTABLE:
        if content(unit, old, errors) is Content.PORTABLE:
            choice, wanted = Choice.OLDER, old
        return Selection(arms, choice, (*host, *wanted), doubt)
    if new == old or content(unit, new, errors) <= Content.PORTABLE:
        choice, wanted = Choice.NEWEST, new
    elif content(unit, old, errors) is Content.PORTABLE:
        choice, wanted = Choice.OLDER, old
    if choice is not Choice.OPEN and wanted == host:
        choice = Choice.AS_IS
    return Selection(arms, choice, (*host, *wanted))


def architecture_findings(
    unit: Unit, selection: Selection, handled: set[int]
) -> Iterator[Diagnostic]:
    """Yield what becomes of the conditions of a chain; adds their mentions to `handled`."""
    for arm in selection.arms:
        places = mentions(unit, arm, {ARCH})
        if places:
            handled.update(places)
            end = arm.end if arm in selection.left_out else None
            yield _condition(unit, arm.directive, places, selection, end)


def other_architecture_findings(unit: Unit, handled: AbstractSet[int]) -> Iterator[Diagnostic]:
    """Yield a finding for every mention that is in no condition of a chain."""
    for number in unit.where(ARCH):
        if number not in handled:
            yield _elsewhere(unit, number)


def _condition(
    unit: Unit, number: int, places: Sequence[int], selection: Selection, end: int | None
) -> Diagnostic:
    """Return the finding about one condition; `end` is that of a branch that is left out."""
    token = unit.tokens[places[0]]
    choice = selection.choice
    if selection.doubt:
        return _in_doubt(unit, number, places, selection, end)
    if choice is Choice.NEVER_OLDER:
        text = "HIP has the function that older GPUs lack: its definition is left out everywhere"
        certain = _certain_edits(unit, unit.lexed.directives[number], places)
        return unit.diagnose(ARCHITECTURE, token, text, end=end, edits=certain)
    if choice is Choice.OPEN:
        text = f"{ARCH} is undefined in HIP, and neither branch is right by itself"
        return unit.diagnose(ARCHITECTURE_OPEN, token, text, help=_OPEN_HELP, end=end)
    edits: list[Edit] = []
    if choice is not Choice.AS_IS:
        edits = _edits(unit, unit.lexed.directives[number], places, newest=choice is Choice.NEWEST)
    text = f"the condition is written with {DEVICE}"
    if not edits:
        text = f"{ARCH} stays undefined, which takes the right branch"
        if choice is Choice.OLDER:
            text = (
                f"{ARCH} stays undefined: the branch for older GPUs has a port, this one has none"
            )
    return unit.diagnose(ARCHITECTURE, token, text, end=end, edits=edits)


def _in_doubt(
    unit: Unit, number: int, places: Sequence[int], selection: Selection, end: int | None
) -> Diagnostic:
    """Return the warning about a condition on features that AMD GPUs may lack."""
    directive = unit.lexed.directives[number]
    token = unit.tokens[places[0]]
    is_older = selection.choice is Choice.OLDER
    edits = _edits(unit, directive, places, newest=False) if is_older else []
    if edits and not any(
        token.kind == NUMBER for token in unit.tokens[directive.first : directive.last]
    ):
        text = f"the condition is written with {DEVICE}"
        return unit.diagnose(ARCHITECTURE, token, text, end=end, edits=edits)
    text = (
        f"{ARCH} is compared with {selection.doubt} to ask for features that AMD GPUs may lack;"
        " in HIP it is undefined, which counts as 0"
    )
    return unit.diagnose(ARCHITECTURE_OPEN, token, text, help=_OPEN_HELP, end=end, edits=edits)


def _edits(unit: Unit, directive: Directive, places: Sequence[int], *, newest: bool) -> list[Edit]:
    edits: list[Edit] = []
    done = -1
    for number in places:
        if number > done:
            edit, done = _atom(unit.tokens, directive, number, newest=newest)
            if edit is not None:
                edits.append(edit)
    return edits


def _atom(
    tokens: Sequence[Token], directive: Directive, number: int, *, newest: bool
) -> tuple[Edit | None, int]:
    """Return the edit of one mention and the last token it covers; no edit: it stays."""
    if directive.name not in ("if", "elif") or _is_defined(tokens, number):
        guarded = _guarded_comparison(tokens, directive, number) if newest else None
        if guarded is not None:
            first, last = guarded
            return Edit(tokens[first].start, tokens[last].end, f"defined({DEVICE})", ARCH), last
        return Edit(tokens[number].start, tokens[number].end, DEVICE, ARCH), number
    first, last = _comparison(tokens, directive, number)
    if first == last:
        return Edit(tokens[number].start, tokens[number].end, f"defined({DEVICE})", ARCH), number
    replacement = _condition_text(tokens[first : last + 1]) if newest else ""
    if not replacement:
        return None, last
    return Edit(tokens[first].start, tokens[last].end, replacement, ARCH), last


def _certain_edits(unit: Unit, directive: Directive, places: Sequence[int]) -> list[Edit]:
    """Return what makes a condition decide as for the newest GPU in every pass of a HIP build."""
    if directive.name not in ("if", "elif"):
        return []
    whole = _certain(unit.tokens, directive.first, directive.last - 1, is_whole=True)
    if whole is not None:
        return whole
    edits: list[Edit] = []
    done = -1
    for number in places:
        if number > done and not _is_defined(unit.tokens, number):
            first, done = _comparison(unit.tokens, directive, number)
            edits += _certain(unit.tokens, first, done, is_whole=False) or []
    return edits


def _certain(
    tokens: Sequence[Token], first: int, last: int, *, is_whole: bool
) -> list[Edit] | None:
    """Return the edits of a condition or a part of it, None when its value is not known."""
    atom = tokens[first : last + 1]
    new = evaluate(atom, frozenset(), frozenset(), _NEWEST)
    now = evaluate(atom, frozenset(), {ARCH})
    if new is Truth.UNKNOWN:
        return None
    if new is now:
        return []
    front = f"!defined({ARCH}) || " if new is Truth.TRUE else f"defined({ARCH}) && "
    start, end = atom[0].start, atom[-1].end
    if not is_whole:
        return [Edit(start, start, "(" + front, ARCH), Edit(end, end, ")", ARCH)]
    if _JOINS.isdisjoint(token.text for token in atom):
        return [Edit(start, start, front, ARCH)]
    return [Edit(start, start, front + "(", ARCH), Edit(end, end, ")", ARCH)]


def _compares(unit: Unit, arms: Sequence[Arm]) -> bool:
    """Whether a condition of the chain does more than ask whether the macro is defined."""
    return any(
        not _is_defined(unit.tokens, number)
        and unit.lexed.directives[arm.directive].name in ("if", "elif")
        for arm in arms
        for number in mentions(unit, arm, {ARCH})
    )


def _condition_text(atom: Sequence[Token]) -> str:
    """Return what says the same of AMD GPUs as a comparison does of the newest NVIDIA ones."""
    on_device = evaluate(atom, frozenset(), frozenset(), _NEWEST)
    on_host = evaluate(atom, frozenset(), {ARCH})
    if (on_device, on_host) == (Truth.TRUE, Truth.FALSE):
        return f"defined({DEVICE})"
    if (on_device, on_host) == (Truth.FALSE, Truth.TRUE):
        return f"!defined({DEVICE})"
    return ""


def _is_defined(tokens: Sequence[Token], number: int) -> bool:
    before = [token.text for token in tokens[max(number - 2, 0) : number]]
    return before[-1:] == ["defined"] or before == ["defined", "("]


def _guarded_comparison(
    tokens: Sequence[Token], directive: Directive, number: int
) -> tuple[int, int] | None:
    """Return first and last token of `defined(ARCH) && ARCH >= N`, None when it is not that."""
    has_bracket = tokens[number - 1].text == "("
    first = number - 2 if has_bracket else number - 1
    at = number + (2 if has_bracket else 1)
    words = [token.text for token in tokens[at : min(at + 3, directive.last)]]
    is_wrapped = words[1:2] == ["("]
    name = at + (2 if is_wrapped else 1)
    if words[:1] != ["&&"] or name + 2 >= directive.last or tokens[first - 1].text == "!":
        return None
    if tokens[name].text != ARCH or tokens[name + 2].kind != NUMBER:
        return None
    last = name + 3 if is_wrapped else name + 2
    if is_wrapped and (last >= directive.last or tokens[last].text != ")"):
        return None
    if last + 1 < directive.last and tokens[last + 1].text in ARITHMETIC:
        return None
    is_device_only = _condition_text(tokens[name : name + 3]) == f"defined({DEVICE})"
    return (first, last) if is_device_only else None


def _comparison(tokens: Sequence[Token], directive: Directive, number: int) -> tuple[int, int]:
    """Return the first and last token of the comparison or sum that a mention is part of."""
    first = last = number
    operators = COMPARISONS | ARITHMETIC
    while last + 2 < directive.last and tokens[last + 1].text in operators:
        last += 2
    while first - 2 >= directive.first and tokens[first - 1].text in operators:
        first -= 2
    return first, last


def _elsewhere(unit: Unit, number: int) -> Diagnostic:
    """Return the finding about a mention that is in no condition."""
    token = unit.tokens[number]
    if token.directive >= 0 and _is_defined(unit.tokens, number):
        edit = Edit(token.start, token.end, DEVICE, ARCH)
        text = f"the condition is written with {DEVICE}"
        return unit.diagnose(ARCHITECTURE, token, text, edits=[edit])
    if token.directive >= 0:
        text = f"{ARCH} is used in a macro, and is undefined in HIP"
        return unit.diagnose(ARCHITECTURE_OPEN, token, text, help=_OPEN_HELP)
    text = f"{ARCH} is used as a value, and is undefined in HIP"
    help_text = f"decide by #if defined({DEVICE}), or by __gfx90a__ and the like"
    return unit.diagnose(ARCHITECTURE_OPEN, token, text, help=help_text, severity=Severity.ERROR)
