"""One way to call a CUDA function, and what makes a HIP call of it."""

from dataclasses import dataclass
from typing import TypedDict, Unpack

from porting.rules.api.changes import Change


@dataclass(frozen=True)
class Signature:
    """One way to call a CUDA function, and what makes a HIP call of it.

    `counts`: the numbers of arguments that mean this way; empty: any.  `since`, `until`: the ROCm
    releases it is for, `until` not included.  `null`: the argument that must be a null pointer for
    this form.  `note`: what the message says was done; `help`: what to do when the changes are
    refused.  `refuse`: why there is no change that fits.
    """

    name: str
    changes: tuple[Change, ...]
    note: str
    counts: tuple[int, ...] = ()
    null: int = -1
    refuse: str = ""
    help: str = ""
    since: tuple[int, int] = (0, 0)
    until: tuple[int, int] = (99, 0)

    def covers(self, count: int | None, release: tuple[int, int]) -> bool:
        """Whether this is the form of a call with `count` arguments (None: not known)."""
        if not self.since <= release < self.until:
            return False
        return not self.counts or count in self.counts


class _More(TypedDict, total=False):
    counts: tuple[int, ...]
    null: int
    refuse: str
    help: str
    since: tuple[int, int]
    until: tuple[int, int]


def forms(
    names: str, *changes: Change, note: str = "", **more: Unpack[_More]
) -> tuple[Signature, ...]:
    """Return the same form of several functions, named with blanks between."""
    return tuple(Signature(name, changes, note, **more) for name in names.split())
