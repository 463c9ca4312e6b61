"""Forks of a process that is part of a program: they are no part of it, and say so."""

from __future__ import annotations

import os


class Membership:
    """Whether this process takes part in a program, or is a fork of one that does."""

    def __init__(self) -> None:
        self.takes_part = False
        self.cut_off = False
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        self.cut_off = self.takes_part

    def check(self) -> None:
        """Raise RuntimeError in a fork: what it waits for cannot come."""
        if self.cut_off:
            raise RuntimeError(
                f"process {os.getpid()} is a fork of one that is part of a program, and has none "
                "of its connections: what it waits for cannot come; wait in the parent"
            )


#: The one of this process.
membership = Membership()
