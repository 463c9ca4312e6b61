"""Conditions on the version of CUDA, which HIP leaves undefined."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from porting.config import FOLLOWED_CUDA
from porting.diagnostics import Diagnostic
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
from porting.rules.macros.codes import COMPILER, VERSION, VERSION_OPEN
from porting.rules.unit import Unit
from porting.syntax import Directive, Token, Truth, evaluate

_MAJOR, _MINOR = FOLLOWED_CUDA
_FOLLOWED: Final = {
    "CUDA_VERSION": 1000 * _MAJOR + 10 * _MINOR,
    "CUDART_VERSION": 1000 * _MAJOR + 10 * _MINOR,
    "__CUDACC_VER_MAJOR__": _MAJOR,
    "__CUDACC_VER_MINOR__": _MINOR,
    "__CUDACC_VER_BUILD__": 93,
}
VERSIONS: Final = frozenset(_FOLLOWED)
_OF_HEADERS: Final = frozenset(("CUDA_VERSION", "CUDART_VERSION"))
_OF_COMPILER: Final = VERSIONS - _OF_HEADERS
_HIP: Final = "HIP_VERSION"


def select_by_version(
    unit: Unit, arms: tuple[Arm, ...], errors: AbstractSet[int]
) -> Selection | None:
    """Return which branches of a chain a ROCm build should take.

    None when it only asks whether a header with a version was included.
    """
    if not any(_comparisons(unit, arm) or mentions(unit, arm, _OF_COMPILER) for arm in arms):
        return None
    new = taken(unit, arms, values=_FOLLOWED)
    as_is = taken(unit, arms, undefined=VERSIONS)
    choice, wanted = Choice.OPEN, as_is
    if new == as_is or _asks_compiler(unit, arms):
        choice = Choice.AS_IS
    elif content(unit, new, errors) <= Content.PORTABLE:
        choice, wanted = Choice.NEWEST, new
    elif content(unit, as_is, errors) is Content.PORTABLE:
        choice = Choice.OLDER
    return Selection(arms, choice, wanted)


def version_findings(unit: Unit, selection: Selection, handled: set[int]) -> Iterator[Diagnostic]:
    """Yield what becomes of the conditions of a chain; adds their mentions to `handled`."""
    for arm in selection.arms:
        places = mentions(unit, arm, VERSIONS)
        if places:
            handled.update(places)
            yield _condition(unit, arm, places, selection)


def other_version_findings(unit: Unit, handled: AbstractSet[int]) -> Iterator[Edit | Diagnostic]:
    """Yield what becomes of every mention that no compared version is part of."""
    for name in sorted(VERSIONS & unit.index.keys()):
        for number in unit.where(name):
            if number in handled:
                continue
            finding = _elsewhere(unit, number)
            if finding is not None:
                yield finding
            token = unit.tokens[number]
            if token.text in _OF_HEADERS:
                yield Edit(token.start, token.end, _HIP, token.text)


def _comparisons(unit: Unit, arm: Arm) -> list[int]:
    directive = unit.lexed.directives[arm.directive]
    if directive.name not in ("if", "elif"):
        return []
    return [n for n in mentions(unit, arm, VERSIONS) if len(_atom(unit.tokens, directive, n)) > 1]


def _asks_compiler(unit: Unit, arms: Sequence[Arm]) -> bool:
    """Whether a condition of the chain asks if NVIDIA's compiler is at work at all."""
    for arm in arms:
        compared = _comparisons(unit, arm)
        for number in mentions(unit, arm, _OF_COMPILER):
            if number not in compared:
                return True
    return False


def _condition(unit: Unit, arm: Arm, places: Sequence[int], selection: Selection) -> Diagnostic:
    token = unit.tokens[places[0]]
    end = arm.end if arm in selection.left_out else None
    holds = [unit.hold(unit.tokens[number]) for number in places]
    if selection.choice is Choice.NEWEST:
        return _rewritten(unit, arm, places, end)
    if selection.choice is Choice.OPEN:
        text = f"{token.text} is undefined in HIP; the branch for new versions has no port"
        help_text = "check whether the code that is left out is needed"
        return unit.diagnose(VERSION_OPEN, token, text, help=help_text, end=end, edits=holds)
    text = f"{token.text} stays undefined, which takes the right branch"
    if selection.choice is Choice.OLDER:
        text = f"{token.text} stays undefined: the branch for new versions needs what HIP lacks"
    return unit.diagnose(VERSION, token, text, end=end, edits=holds)


def _rewritten(unit: Unit, arm: Arm, places: Sequence[int], end: int | None) -> Diagnostic:
    """Return the finding that lets a build without CUDA_VERSION pass for one with the newest."""
    directive = unit.lexed.directives[arm.directive]
    compared = _comparisons(unit, arm)
    edits: list[Edit] = []
    is_read = True
    for number in places:
        if number not in compared:
            token = unit.tokens[number]
            edits.append(Edit(token.start, token.end, _HIP, token.text))
            continue
        atom = _atom(unit.tokens, directive, number)
        found = _atom_edits(unit, directive, number, atom)
        is_read = is_read and found is not None
        edits += found or [unit.hold(unit.tokens[number])]
    token = unit.tokens[places[0]]
    if not is_read:
        text = f"the condition on {token.text}, which is undefined in HIP, cannot be read"
        help_text = "check which branch a ROCm build takes"
        return unit.diagnose(VERSION_OPEN, token, text, help=help_text, edits=edits)
    text = f"without {token.text}, the branch for the newest CUDA is taken"
    return unit.diagnose(VERSION, token, text, end=end, edits=edits)


def _atom_edits(
    unit: Unit, directive: Directive, number: int, atom: Sequence[Token]
) -> list[Edit] | None:
    """Return the edits of one comparison, None when it cannot be read."""
    hold = unit.hold(unit.tokens[number])
    now = evaluate(atom, frozenset(), VERSIONS)
    new = evaluate(atom, frozenset(), frozenset(), _FOLLOWED)
    if Truth.UNKNOWN in (now, new):
        return None
    if now is new:
        return [hold]
    name = unit.tokens[number].text
    front = f"!defined({name}) || " if new is Truth.TRUE else f"defined({name}) && "
    start, end = atom[0].start, atom[-1].end
    if len(atom) == directive.last - directive.first:
        return [Edit(start, start, front), hold]
    return [Edit(start, start, "(" + front), hold, Edit(end, end, ")")]


def _atom(tokens: Sequence[Token], directive: Directive, number: int) -> Sequence[Token]:
    """Return the comparison, with sums in it, that a mention is part of."""
    first = last = number
    operators = COMPARISONS | ARITHMETIC
    while last + 2 < directive.last and tokens[last + 1].text in operators:
        last += 2
    while first - 2 >= directive.first and tokens[first - 1].text in operators:
        first -= 2
    return tokens[first : last + 1]


def _elsewhere(unit: Unit, number: int) -> Diagnostic | None:
    token = unit.tokens[number]
    is_asked = (
        token.directive >= 0
        and unit.lexed.directives[token.directive].name != "define"
        and number > 0
    )
    if token.text in _OF_HEADERS:
        if is_asked:
            return None  # asks whether a header was included: a rename is right
        text = f"{token.text} becomes HIP_VERSION, which counts otherwise and is always greater"
        return unit.diagnose(VERSION, token, text)
    if is_asked:
        text = f"{token.text} asks for NVIDIA's compiler and stays undefined"
        return unit.diagnose(COMPILER, token, text, edits=[unit.hold(token)])
    text = f"{token.text} is undefined in HIP"
    help_text = "use __clang_major__ or HIP_VERSION_MAJOR"
    return unit.diagnose(VERSION_OPEN, token, text, help=help_text)
