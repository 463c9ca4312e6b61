"""What two runs of one program differ in: its output, its status, what its buffers held.  Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

# A line with its end, which the last may lack.
_LINE: Final = re.compile(rb"[^\n]*\n|[^\n]+")


@dataclass(frozen=True)
class Run:
    """One run: its platform, exit status, standard output, findings, buffers as they were freed."""

    platform: str
    status: int
    output: bytes
    findings: tuple[Mapping[str, Any], ...]
    buffers: tuple[Mapping[str, Any], ...]


# Threads that append to an array do so in an order of their own.
ORDER = "order"
# Nobody knows whether these are the same.
UNREAD = "unread"


@dataclass(frozen=True)
class Difference:
    """What is not the same in both runs.

    `kind` is output, status, finding or buffer; order, of a buffer that has the same words in
    another order; unread, of one that is too large to have been looked at.
    """

    kind: str
    text: str


def differences(one: Run, other: Run, ignored: str = "") -> list[Difference]:
    """Return what differs, findings of either run among it.

    `ignored`: a pattern of lines of output that may differ, such as the name of a GPU.
    """
    return [
        *_findings(one),
        *_findings(other),
        *_statuses(one, other),
        *_outputs(one, other, ignored),
        *_buffers(one, other),
    ]


def _findings(run: Run) -> Iterator[Difference]:
    for finding in run.findings:
        at = finding["at"]
        place = f"{at['file']}:{at['line']}" if at["file"] else at["function"]
        text = f"{run.platform}: {place}: {finding['code']} {finding['kind']}: {finding['text']}"
        yield Difference("finding", text)


def _statuses(one: Run, other: Run) -> Iterator[Difference]:
    if one.status != other.status:
        text = f"{one.platform} ended with {one.status}, {other.platform} with {other.status}"
        yield Difference("status", text)


def _outputs(one: Run, other: Run, ignored: str) -> Iterator[Difference]:
    may_differ = re.compile(ignored.encode()).search if ignored else lambda _line: None
    lines = zip_longest(_LINE.findall(one.output), _LINE.findall(other.output))
    for number, (left, right) in enumerate(lines, 1):
        if left != right and not (left and right and may_differ(left) and may_differ(right)):
            shown = (_shown(one.platform, left), _shown(other.platform, right))
            yield Difference("output", f"line {number}: {shown[0]}; {shown[1]}")
            return


def _shown(platform: str, line: bytes | None) -> str:
    return f"{platform} has " + (
        "no such line" if line is None else repr(line.decode(errors="replace"))
    )


def _buffers(one: Run, other: Run) -> Iterator[Difference]:
    left, right = _in_order(one.buffers), _in_order(other.buffers)
    for number, pair in enumerate(zip_longest(left, right), 1):
        text = _buffer(one.platform, other.platform, *pair)
        if text and _has_same_words(*pair):
            yield Difference(ORDER, f"buffer {number}: {text}, and has the same words in all")
        elif text:
            yield Difference("buffer", f"buffer {number}: {text}")
            return  # what follows is of other buffers
        elif pair[0]["digests"] is None:
            where = f"of {pair[0]['size']} bytes, allocated at {pair[0]['at']}"
            yield Difference(UNREAD, f"buffer {number}: {where}, is too large to be looked at")


def _has_same_words(left: Mapping[str, Any] | None, right: Mapping[str, Any] | None) -> bool:
    """Whether two buffers hold the same words in another order."""
    return bool(left and right and left.get("words") and left["words"] == right["words"])


def _in_order(buffers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return buffers in the order in which they were allocated, which is the program's."""
    return sorted(buffers, key=lambda buffer: int(buffer["buffer"]))


def _buffer(
    one: str, other: str, left: Mapping[str, Any] | None, right: Mapping[str, Any] | None
) -> str:
    """Return what two buffers differ in, "" where in nothing."""
    if left is None or right is None:
        there, buffer = (other, right) if left is None else (one, left)
        return f"only {there} allocates it, {buffer['size']} bytes" if buffer else ""
    where = f"of {left['size']} bytes, allocated at {left['at']}"
    if left["size"] != right["size"]:
        return f"{where}, has {right['size']} bytes in {other}"
    pairs = zip(left["digests"] or (), right["digests"] or (), strict=True)
    parts = [number for number, (a, b) in enumerate(pairs) if a != b]
    if not parts:
        return ""
    first = parts[0] * left["part"]
    last = min(first + left["part"], left["size"])
    return f"{where}, differs first in bytes {first} to {last - 1}"
