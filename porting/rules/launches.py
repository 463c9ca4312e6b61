"""Kernel launches, written as hipLaunchKernelGGL when that is asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.syntax import IDENT, Argument, Tokens, match_bracket, split_arguments

WRITTEN: Final = Code(
    "LAU001",
    "kernel-launch",
    Severity.NOTE,
    "a launch is written as hipLaunchKernelGGL",
    "HIP's compilers take <<<...>>> as it is, which is the default.  Asked to, the tool writes the"
    " macro hipLaunchKernelGGL instead.  Commas in a template argument list would split a macro"
    " argument, so a kernel with one is passed in HIP_KERNEL_NAME.",
)
UNREADABLE: Final = Code(
    "LAU002",
    "kernel-launch",
    Severity.WARNING,
    "a launch that cannot be read",
    "The tokens around <<< do not have the form kernel<<<grid, block, ...>>>(arguments), so the"
    " launch is kept.  HIP's compilers take it as it is.",
)
CODES: Final = (WRITTEN, UNREADABLE)

_CLOSERS: Final = {">": 1, ">>": 2, ">>>": 3}
_COUNTS: Final = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class _Launch:
    """Token indices of a launch."""

    kernel: int
    open: int
    close: int
    arguments: int
    end: int


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the rewrite of every launch in live code, when the target asks for it."""
    if not unit.target.hipify_launches:
        return
    for number in unit.launches:
        token = unit.tokens[number]
        launch = _read(unit.tokens, number)
        configuration = split_arguments(unit.tokens, number + 1, launch.close) if launch else ()
        if launch is None or len(configuration) not in _COUNTS:
            text = "this launch cannot be read and is kept"
            yield unit.diagnose(UNREADABLE, token, text, help="rewrite it by hand if it must be")
            continue
        name = unit.tokens[launch.kernel].text
        edits = _edits(unit, launch, configuration)
        text = f"the launch of {name} is written as hipLaunchKernelGGL"
        yield unit.diagnose(WRITTEN, unit.tokens[launch.kernel], text, symbol=name, edits=edits)


def _read(tokens: Tokens, opener: int) -> _Launch | None:
    close = _close(tokens, opener)
    kernel = _kernel(tokens, opener)
    if close is None or kernel is None or close + 1 >= len(tokens):
        return None
    if tokens[close + 1].text != "(":
        return None
    end = match_bracket(tokens, close + 1)
    return None if end is None else _Launch(kernel, opener, close, close + 1, end)


def _close(tokens: Tokens, opener: int) -> int | None:
    """Return the `>>>` of a launch."""
    at = opener + 1
    while at < len(tokens):
        text = tokens[at].text
        if text == ">>>":
            return at
        if text in ("(", "[", "{"):
            closer = match_bracket(tokens, at)
            if closer is None:
                return None
            at = closer
        elif text in (";", ")", "}", "<<<"):
            return None
        at += 1
    return None


def _kernel(tokens: Tokens, opener: int) -> int | None:
    """Return the first token of the expression in front of `<<<`."""
    at = opener - 1
    while at >= 0:
        if tokens[at].text in (")", "]"):
            at = _bracket_start(tokens, at)
        elif tokens[at].text in _CLOSERS:
            at = _angle_start(tokens, at) - 1
        if at < 0:
            return None
        if tokens[at].kind != IDENT and tokens[at].text not in ("(", "["):
            return None
        if tokens[at].text == "[":
            at -= 1
            continue
        before = tokens[at - 1].text if at else ""
        if before not in ("::", ".", "->"):
            return at
        if at > 1 and (tokens[at - 2].kind == IDENT or tokens[at - 2].text in _CLOSERS):
            at -= 2
        else:
            return at - 1
    return None


def _bracket_start(tokens: Tokens, closer: int) -> int:
    depth = 0
    for at in range(closer, -1, -1):
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(tokens[at].text, 0)
        if depth == 0:
            return at
    return -1


def _angle_start(tokens: Tokens, closer: int) -> int:
    """Return the `<` of the template list that a token closes."""
    depth, at = 0, closer
    while at >= 0:
        text = tokens[at].text
        if text in (")", "]"):
            at = _bracket_start(tokens, at)
        else:
            depth += _CLOSERS.get(text, 0)
            depth -= text == "<"
            if depth == 0:
                return at
        at -= 1
    return -1


def _edits(unit: Unit, launch: _Launch, configuration: Sequence[Argument]) -> list[Edit]:
    tokens = unit.tokens
    is_template = any(t.text == "<" for t in tokens[launch.kernel : launch.open])
    front = "hipLaunchKernelGGL(" + ("HIP_KERNEL_NAME(" if is_template else "")
    first, opener = tokens[launch.kernel], tokens[launch.open]
    kernel_end = tokens[launch.open - 1].end
    edits = [
        Edit(first.start, first.start, front),
        Edit(kernel_end, kernel_end, ")," if is_template else ","),
        Edit(opener.start, opener.end, "" if opener.start > kernel_end else " "),
    ]
    for argument in configuration[:2]:
        edits += _dim3(tokens, argument)
    rest = ", 0" * (4 - len(configuration))
    close, arguments = tokens[launch.close], tokens[launch.arguments]
    has_arguments = launch.arguments + 1 < launch.end
    if rest:
        last = tokens[launch.close - 1].end
        edits.append(Edit(last, last, rest))
    edits.append(Edit(close.start, close.end, "," if has_arguments else ""))
    touching = arguments.start == close.end
    edits.append(Edit(arguments.start, arguments.end, " " if has_arguments and touching else ""))
    return edits


def _dim3(tokens: Tokens, argument: Argument) -> list[Edit]:
    """Return the edits that make a dim3 of an argument that is none by its form."""
    first, last = tokens[argument.first], tokens[argument.last - 1]
    closer = match_bracket(tokens, argument.first) if first.text == "(" else None
    if closer == argument.last - 1:
        return [Edit(first.start, first.start, "dim3")]
    is_dim3 = first.text == "dim3" and argument.last - argument.first > 1
    if is_dim3 and match_bracket(tokens, argument.first + 1) == argument.last - 1:
        return []
    return [Edit(first.start, first.start, "dim3("), Edit(last.end, last.end, ")")]
