"""Faults that are done to processes and networks, for the field cases."""

import os
import signal
import struct
import threading
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations

from tests.runtime.field import hosts
from tests.runtime.field.hosts import Party
from tests.runtime.field.machine import pause


class _Fault(BaseException):
    """What fails an actor, and not only its call."""


def raise_in_actor(kind: type[BaseException] | str, text: str) -> None:
    """Fail the running actor by an exception of that name."""
    name = kind if isinstance(kind, str) else kind.__name__
    raise type(name, (_Fault,), {})(text)


class Faults:
    """What a case does to others."""

    def kill(self, pid: int, sig: int = signal.SIGKILL) -> None:
        """Send a signal to a process, or to a group as -pid."""
        os.kill(pid, sig)

    def pause(self, pid: int) -> None:
        """Stop a process."""
        pause(pid)

    def resume(self, pid: int) -> None:
        """Have it go on; nothing happens when it has been killed meanwhile."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    def cut(self, one: Party, other: Party, seconds: float | None = None) -> None:
        """Have nothing pass between two parties, for some seconds or until `heal`."""
        hosts.each("cut", [(one, other)])
        if seconds is not None:
            later = threading.Timer(seconds, _heal, (one, other))
            later.daemon = True
            later.start()

    def partition(self, groups: Sequence[Sequence[Party]]) -> None:
        """Cut all wires between groups; who is in none is with the first of them."""
        cut = [group_of(party, groups) for party in hosts.parties()]
        pairs = combinations(zip(hosts.parties(), cut, strict=True), 2)
        hosts.each("cut", [(one, other) for (one, a), (other, b) in pairs if a != b])

    def heal(self) -> None:
        """Have everything pass again."""
        hosts.each("heal", list(combinations(hosts.parties(), 2)))

    def wall_clock(self, offset: float) -> None:
        """Step the wall clock of this program, and of it alone; see clock.c."""
        path = os.environ.get("FIELD_CLOCK")
        if path is None:
            raise RuntimeError(
                "this program has the machine's clock; run the case with "
                "python -m tests.runtime.field.run CASE/test.py"
            )
        with open(path, "r+b") as file:  # noqa: PTH123
            file.write(struct.pack("<q", int(offset)))


def group_of(party: Party, groups: Sequence[Sequence[Party]]) -> int:
    """Return which group a party is in, by any of its names."""
    for number, group in enumerate(groups):
        if any(hosts.same(party, each) for each in group):
            return number
    return 0


def _heal(one: Party, other: Party) -> None:
    """End a cut, unless the mesh has ended before it."""
    with suppress(RuntimeError):
        hosts.each("heal", [(one, other)])
