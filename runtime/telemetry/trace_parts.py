"""The parts of a trace that other hosts have written, on their clocks, for the client's file."""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: Asks the client for its clock (CLOCK_MONOTONIC, us) and for the boot that it is of.
    Ask = Callable[[], tuple[float, str]]

_PIDS = 22  # bits of a process number on Linux
_CHUNK = 128 << 10
_TRIES = 5


def part_of(path: str, host: str, gateway: int) -> str:
    """Return the file of a host that is not the client's: trace.json as trace-node7-1a2b.json."""
    stem, suffix = os.path.splitext(path)  # noqa: PTH122 - pathlib costs every start of a process
    name = "".join(each if each.isalnum() or each in "-." else "_" for each in host)
    return f"{stem}-{name}-{gateway >> 32:x}{suffix}"


def shift(ask: Ask, now: Callable[[], float] = lambda: time.monotonic_ns() / 1000) -> float:
    """Return by how many microseconds the client's clock is ahead of this host's.

    Of one boot it is one clock. Else each answer was given between its question and now, so the
    quickest of some is off by half its way there and back at most, whatever the times of day are.
    """
    best: tuple[float, float] | None = None
    for _ in range(_TRIES):
        before = now()
        theirs, boot = ask()
        after = now()
        if boot == boot_id():
            return 0.0
        found = after - before, theirs - (before + after) / 2
        best = found if best is None else min(best, found)
    assert best is not None  # noqa: S101 - there are tries
    return best[1]


def boot_id() -> str:
    """Return what tells this boot of this machine from all others."""
    with open("/proc/sys/kernel/random/boot_id") as file:  # noqa: PTH123
        return file.read().strip()


def translated(path: str, number: int, ahead: float) -> Iterator[bytes]:
    """Yield the events of a part, some at a time, as those of the client's file.

    Process numbers of two hosts may be the same: the host's `number` is above them. A line that
    was cut short by a full disk is left out.
    """
    chunk = bytearray()
    with open(path, "rb") as file:  # noqa: PTH123
        for line in file:
            try:
                event = json.loads(line.rstrip(b",\n"))
                about_the_file = event["name"] in {"trace_begins", "trace_ends"}
            except (ValueError, TypeError, KeyError):
                continue
            if about_the_file:
                continue
            event["pid"] += number << _PIDS
            if "ts" in event:
                event["ts"] = round(event["ts"] + ahead, 3)
            chunk += json.dumps(event, separators=(",", ":")).encode() + b",\n"
            if len(chunk) >= _CHUNK:
                yield bytes(chunk)
                chunk.clear()
    if chunk:
        yield bytes(chunk)
