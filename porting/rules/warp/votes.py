"""Votes: ballots, any, all, match, reductions, the active mask, and __syncwarp."""

from collections.abc import Callable, Iterator
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.rules.warp.arguments import (
    Mask,
    drop_first,
    has_effects,
    is_local,
    is_variadic,
    kind_of_mask,
)
from porting.rules.warp.codes import (
    BALLOT,
    ESCAPES,
    MATCH,
    REDUCE,
    REDUCED,
    SYNCWARP,
    UNFOLLOWED,
    VOTE,
    WIDENED,
)
from porting.rules.warp.shuffles import SHUFFLES
from porting.rules.warp.width import Widths
from porting.syntax import Call, call_at

FIRST_SYNC: Final = (7, 0)  # __syncwarp, __reduce_*_sync; *_sync without a macro
HALF: Final = "(__lane_id() & 32)"  # 0, or 32 in the upper half of a 64-lane wavefront
MY_LANES: Final = f"__ballot(1) & (0xffffffffull << {HALF})"
_NO_CALL: Final = frozenset(("define", "undef", "defined", "ifdef", "ifndef"))
_BITWISE: Final = frozenset(("__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"))
_REDUCTIONS: Final = frozenset(
    ("__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", *_BITWISE)
)
# Expressions, so that `if (x) __syncwarp();` stays one statement.
FENCE: Final = (
    '(__builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront"), __builtin_amdgcn_wave_barrier(),'
    ' __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront"))'
)
_TAKE_MASKS: Final = (
    frozenset(
        (
            *SHUFFLES,
            "__ballot_sync",
            "__any_sync",
            "__all_sync",
            "__match_any_sync",
            "__match_all_sync",
        )
    )
    | _REDUCTIONS
)
TWO_WARPS: Final = (
    "gives 64 bits on 64-lane wavefronts and this code counts in 32-lane warps: rewritten to read"
    " the caller's half of the wavefront"
)
CHECK_READERS: Final = (
    "check that everything that reads the value counts in 32-lane warps, or compute lanes from"
    " warpSize and port again for whole wavefronts"
)


def check_votes(unit: Unit, widths: Widths) -> Iterator[Diagnostic]:
    """Yield the rewrite of every vote in live code, but for those in masks that are dropped."""
    dropped = _dropped_masks(unit)
    for name, (arguments, rewrite) in _VOTES.items():
        for place in unit.where(name):
            before = unit.tokens[place - 1].text
            if place in dropped or before in _NO_CALL or _is_defined_here(unit, place):
                continue
            call = call_at(unit.tokens, place)
            if (
                call is None
                or len(call.arguments) not in arguments
                or is_variadic(unit.tokens, call)
                or any(has_effects(unit.tokens, a) for a in call.arguments[:1])
            ):
                yield _unfollowed(unit, place)
            elif not call.arguments or kind_of_mask(unit, call.arguments[0]) is not Mask.WIDE:
                finding = rewrite(_Writer(unit, widths, call))
                if finding is not None:
                    yield finding


def _dropped_masks(unit: Unit) -> frozenset[int]:
    """Return the calls of __activemask that are the mask of another call, which loses it."""
    dropped: set[int] = set()
    for place in unit.where("__activemask"):
        tokens = unit.tokens
        opener = place - 1 if tokens[place - 1].text != "::" else place - 2
        if tokens[opener].text == "(" and tokens[opener - 1].text in _TAKE_MASKS:
            dropped.add(place)
    return frozenset(dropped)


def _is_defined_here(unit: Unit, place: int) -> bool:
    function = unit.functions.around(place + 1)
    return function is not None and function.name == place


def _unfollowed(unit: Unit, place: int) -> Diagnostic:
    name = unit.tokens[place].text
    return unit.diagnose(
        UNFOLLOWED,
        unit.tokens[place],
        f"{name} is used here in a way that hides its lane mask; HIP needs a 64-bit mask",
        help="pass a 64-bit mask, and keep the result in 64 bits",
    )


class _Writer:
    """Collects the edits of one call; whatever stays of its arguments stays in its place."""

    def __init__(self, unit: Unit, widths: Widths, call: Call) -> None:
        self.unit = unit
        self.call = call
        self.name = unit.tokens[call.name]
        self.logical = widths.logical
        mask = call.arguments[0] if call.arguments else None
        self.full = mask is not None and kind_of_mask(unit, mask) is Mask.FULL
        # In wave-wide code, a mask whose type stays 32 bits wide would cut the upper lanes off.
        self.cuts = not (self.logical or self.full or mask is None or is_local(unit, mask))
        self.edits: list[Edit] = []

    def front(self, text: str) -> None:
        """Replace the name, and a `::` before it unless the new text is a name too."""
        start = self.name.start
        if self.unit.tokens[self.call.name - 1].text == "::" and not text.startswith("__"):
            start = self.unit.tokens[self.call.name - 1].start
        self.edits.append(Edit(start, self.name.end, text, self.name.text))

    def back(self, text: str) -> None:
        """Insert after the closing parenthesis."""
        end = self.unit.tokens[self.call.close].end
        self.edits.append(Edit(end, end, text, self.name.text))

    def around(self, argument: int, before: str, after: str) -> None:
        """Insert before and after an argument."""
        tokens = self.unit.tokens
        span = self.call.arguments[argument]
        start, end = tokens[span.first].start, tokens[span.last - 1].end
        self.edits.append(Edit(start, start, before, self.name.text))
        self.edits.append(Edit(end, end, after, self.name.text))

    def ballot(self, function: str = "__ballot") -> None:
        """Write the call as the bits that `function` gives for the lanes of the mask.

        `f(mask, p)` becomes `function(p)`, or `(mask & function(p))` when the mask is not every
        lane; in 32-lane code the function's bits are those of the caller's half.
        """
        half = f" >> {HALF})" if self.logical else ""
        call = f"static_cast<unsigned>({function}" if self.logical else function
        if self.full:
            self.edits.append(drop_first(self.unit, self.call))
            self.front(call)
            self.back(half)
            return
        tokens = self.unit.tokens
        mask, value = self.call.arguments[0], self.call.arguments[1]
        single = mask.last - mask.first == 1
        self.front("" if single else "(")
        between = Edit(
            tokens[mask.last - 1].end,
            tokens[value.first].start,
            f"{'' if single else ')'} & {call}(",
            self.name.text,
        )
        self.edits.append(between)
        self.back(f"{half})")

    def lanes(self) -> None:
        """Write the mask as the active lanes that it names, in the wavefront's 64 bits."""
        tokens = self.unit.tokens
        mask = self.call.arguments[0]
        if self.full:
            start, end = tokens[mask.first].start, tokens[mask.last - 1].end
            text = MY_LANES if self.logical else "__ballot(1)"
            self.edits.append(Edit(start, end, text, self.name.text))
        elif self.logical:
            shift = f") << {HALF})"
            self.around(0, "__ballot(1) & (static_cast<unsigned long long>(", shift)
        else:
            self.around(0, "__ballot(1) & (", ")")

    def done(self, code: Code, message: str, help_text: str = "") -> Diagnostic:
        """Return the finding with the edits collected so far."""
        if self.cuts and code.severity is Severity.NOTE and self.name.text != "__syncwarp":
            code, help_text = ESCAPES, "make the mask unsigned long long, for 64 lanes"
            message = f"{message}; its mask may have 32 bits, which leaves lanes 32 to 63 out"
        return self.unit.diagnose(
            code,
            self.name,
            message,
            help=help_text,
            end=self.unit.tokens[self.call.close].end,
            edits=self.edits,
        )


def _ballot(writer: _Writer) -> Diagnostic:
    writer.ballot()
    if writer.logical:
        return writer.done(BALLOT, f"__ballot_sync {TWO_WARPS}", CHECK_READERS)
    return writer.done(WIDENED, "__ballot_sync becomes __ballot, which gives 64 bits")


def _any(writer: _Writer) -> Diagnostic:
    if writer.full and not writer.logical:
        writer.edits.append(drop_first(writer.unit, writer.call))
        writer.front("__any")
        return writer.done(VOTE, "__any_sync becomes __any over the active lanes")
    writer.ballot()
    return _compared(writer, "!= 0")


def _all(writer: _Writer) -> Diagnostic:
    if writer.full and not writer.logical:
        writer.edits.append(drop_first(writer.unit, writer.call))
        writer.front("__all")
        return writer.done(VOTE, "__all_sync becomes __all over the active lanes")
    writer.ballot()
    writer.around(1, "!(", ")")
    return _compared(writer, "== 0")


def _compared(writer: _Writer, comparison: str) -> Diagnostic:
    """Compare the ballot written so far with 0, all in parentheses."""
    front = next(edit for edit in writer.edits if edit.end == writer.name.end)
    writer.edits.remove(front)
    writer.front(f"({front.replacement}")
    writer.back(f" {comparison})")
    name = writer.name.text
    return writer.done(VOTE, f"{name} is written with a ballot of the lanes it speaks of")


def _active_mask(writer: _Writer) -> Diagnostic | None:
    if not writer.logical and writer.unit.target.release >= FIRST_SYNC:
        return None
    at = writer.unit.tokens[writer.call.close].start
    writer.edits.append(Edit(at, at, "1", writer.name.text))
    if writer.logical:
        writer.front("static_cast<unsigned>(__ballot")
        writer.back(f" >> {HALF})")
        return writer.done(BALLOT, f"__activemask {TWO_WARPS}", CHECK_READERS)
    writer.front("__ballot")
    return writer.done(WIDENED, "__activemask becomes __ballot(1), which every release declares")


def _match_any(writer: _Writer) -> Diagnostic:
    writer.ballot("__match_any")
    return _matched(writer)


def _match_all(writer: _Writer) -> Diagnostic:
    writer.lanes()
    if writer.logical:
        writer.front("static_cast<unsigned>(__match_all_sync")
        writer.back(f" >> {HALF})")
    return _matched(writer)


def _matched(writer: _Writer) -> Diagnostic:
    name, target = writer.name.text, writer.unit.target
    if target.release < FIRST_SYNC:
        return writer.done(
            MATCH,
            f"{name} is declared by ROCm {target.rocm} only with HIP_ENABLE_WARP_SYNC_BUILTINS",
            "compile with -DHIP_ENABLE_WARP_SYNC_BUILTINS",
        )
    what = "read in the caller's half of the wavefront" if writer.logical else "64 bits wide"
    return writer.done(VOTE, f"the mask of {name} is {what}")


def _reduce(writer: _Writer) -> Diagnostic:
    name, target = writer.name.text, writer.unit.target
    step = "write it as a loop of __shfl_xor steps over the lanes"
    if target.release < FIRST_SYNC:
        message = f"{name} came with ROCm 7.0; ROCm {target.rocm} lacks it"
        return writer.done(REDUCE, message, step)
    if name in _BITWISE:
        message = f"{name} of HIP combines lanes with a logical operator, CUDA's with a bitwise one"
        return writer.done(REDUCE, message, step)
    writer.lanes()
    return writer.done(REDUCED, f"the mask of {name} names the active lanes, in 64 bits")


def _syncwarp(writer: _Writer) -> Diagnostic | None:
    tokens, call, target = writer.unit.tokens, writer.call, writer.unit.target
    name = writer.name.text
    if target.release >= FIRST_SYNC:
        if not call.arguments:
            return None
        writer.edits.append(Edit(tokens[call.open].end, tokens[call.close].start, "", name))
        return writer.done(SYNCWARP, "__syncwarp covers every active lane of the wavefront")
    qualified = tokens[call.name - 1].text == "::"
    start = tokens[call.name - 1].start if qualified else writer.name.start
    writer.edits.append(Edit(start, tokens[call.close].end, FENCE, name))
    return writer.done(
        SYNCWARP,
        f"__syncwarp came with ROCm 7.0; for {target.rocm} it is written as the wavefront fences"
        " and the barrier of which it is made",
    )


_VOTES: Final[dict[str, tuple[tuple[int, ...], Callable[[_Writer], Diagnostic | None]]]] = {
    "__ballot_sync": ((2,), _ballot),
    "__any_sync": ((2,), _any),
    "__all_sync": ((2,), _all),
    "__activemask": ((0,), _active_mask),
    "__match_any_sync": ((2,), _match_any),
    "__match_all_sync": ((3,), _match_all),
    **dict.fromkeys(sorted(_REDUCTIONS), ((2,), _reduce)),
    "__syncwarp": ((0, 1), _syncwarp),
}
