"""Locks that several lanes of one wavefront wait for."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.device.codes import LOCK
from porting.rules.unit import Unit
from porting.rules.warp.width import integer
from porting.syntax import call_at, statement_start

_EXCHANGES: Final = ("atomicCAS", "atomicExch", "atomicCAS_block", "atomicCAS_system")
_WINDOW: Final = 90


def spin_locks(unit: Unit) -> Iterator[Diagnostic]:
    """Yield loops like `while (atomicCAS(lock, 0, 1) != 0)` that every thread may enter."""
    for name in _EXCHANGES:
        for place in unit.where(name):
            if _waits(unit, place) and not _is_one_thread(unit, place):
                yield unit.diagnose(
                    LOCK,
                    unit.tokens[place],
                    f"a loop waits for {name}: lanes of one wavefront that wait for each other's"
                    " lock never end",
                    help="let one thread of the block or wavefront take the lock, or do the work"
                    " inside the loop and leave it when the lock was taken",
                )


def _waits(unit: Unit, place: int) -> bool:
    """Whether the call is the condition of a loop and exchanges one constant for another."""
    call = call_at(unit.tokens, place)
    if call is None or len(call.arguments) < 2:  # noqa: PLR2004 - address and new value
        return False
    constants = call.arguments[1:]
    if not all(
        argument.last - argument.first == 1 and integer(unit.tokens[argument.first]) is not None
        for argument in constants
    ):
        return False
    start = statement_start(unit.tokens, place)
    return start > 1 and [unit.tokens[start - 2].text, unit.tokens[start - 1].text] == [
        "while",
        "(",
    ]


def _is_one_thread(unit: Unit, place: int) -> bool:
    """Whether a condition before it lets one thread through: `threadIdx.x == 0`, `lane == 0`."""
    function = unit.functions.around(place)
    first = max(0 if function is None else function.open, place - _WINDOW)
    tokens = unit.tokens
    for at in range(first, place):
        if tokens[at].text == "==" and integer(tokens[at + 1]) == 0:
            words = " ".join(token.text.lower() for token in tokens[max(first, at - 6) : at])
            if any(word in words for word in ("thread", "tid", "lane", "rank")):
                return True
        if tokens[at].text == "!" and "threadidx" in tokens[at + 1].text.lower():
            return True
    return False
