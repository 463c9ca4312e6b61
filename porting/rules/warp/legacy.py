"""Shuffles and votes without a mask, as CUDA had them before release 9."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.rules.warp.codes import BALLOT, SHUFFLE, VOTE
from porting.rules.warp.shuffles import SHUFFLES
from porting.rules.warp.votes import CHECK_READERS, HALF, TWO_WARPS
from porting.rules.warp.width import LANES, Widths
from porting.source import CUDA_SUFFIXES
from porting.syntax import Call, call_at

_VOTES: Final = {"__ballot": "", "__any": " != 0", "__all": " == 0"}
_NAMES: Final = (*SHUFFLES.values(), *_VOTES)
_NO_CALL: Final = frozenset(("define", "undef", "ifdef", "ifndef", "defined", ".", "->"))


def check_legacy(unit: Unit, widths: Widths) -> Iterator[Diagnostic]:
    """Yield the rewrite of functions whose HIP namesakes see the whole wavefront.

    Only in CUDA files that keep 32-lane warps: wave-wide code means the same as HIP's, and a
    header outside of a CUDA tree may be HIP code that includes nothing to tell it by.
    """
    if not any(map(unit.where, _NAMES)) or not widths.logical or not _is_cuda(unit):
        return
    if unit.starting_with("hip"):
        return
    for name in _NAMES:
        for place in unit.where(name):
            call = call_at(unit.tokens, place)
            if call is None or not _is_plain_call(unit, call):
                continue
            if name in _VOTES:
                yield _vote(unit, call)
            elif len(call.arguments) == 2:  # noqa: PLR2004 - value and lane, no width
                yield _shuffle(unit, call)


def _is_cuda(unit: Unit) -> bool:
    """Whether the file, or one beside it in the tree, has a suffix of CUDA's."""
    paths = (unit.source.path, *unit.project.files)
    return any(path.endswith(tuple(CUDA_SUFFIXES)) for path in paths)


def _is_plain_call(unit: Unit, call: Call) -> bool:
    """Whether this is a call that the port has not written itself."""
    tokens = unit.tokens
    if tokens[call.name - 1].text in _NO_CALL or unit.functions.around(call.open) is None:
        return False
    function = unit.functions.around(call.open)
    if function is not None and function.name == call.name:
        return False
    following = [tokens[at].text for at in range(call.close + 1, min(call.close + 4, len(tokens)))]
    shifted = following[:1] == [">>"] and "__lane_id" in following
    return not shifted and following[:2] != ["&", "("]


def _shuffle(unit: Unit, call: Call) -> Diagnostic:
    name = unit.tokens[call.name]
    end = unit.tokens[call.close].start
    return unit.diagnose(
        SHUFFLE,
        name,
        f"{name.text} gets the width of 32-lane warps; HIP's spans the wavefront",
        edits=[Edit(end, end, f", {LANES}", name.text)],
    )


def _vote(unit: Unit, call: Call) -> Diagnostic:
    tokens = unit.tokens
    name, close = tokens[call.name], tokens[call.close]
    comparison = _VOTES[name.text]
    opening, closing = ("(", ")") if comparison else ("", "")
    edits = [
        Edit(name.start, name.end, f"{opening}static_cast<unsigned>(__ballot", name.text),
        Edit(close.end, close.end, f" >> {HALF}){comparison}{closing}", name.text),
    ]
    if name.text == "__all":
        argument = call.arguments[0]
        start, end = tokens[argument.first].start, tokens[argument.last - 1].end
        edits += [Edit(start, start, "!(", name.text), Edit(end, end, ")", name.text)]
    if comparison:
        message = f"{name.text} is written with a ballot of the lanes it speaks of"
        return unit.diagnose(VOTE, name, message, edits=edits)
    message = f"{name.text} {TWO_WARPS}"
    return unit.diagnose(BALLOT, name, message, help=CHECK_READERS, edits=edits)
