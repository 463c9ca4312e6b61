"""Signals that end a command: an exception on the way out, which undoes what was begun."""

import signal
from types import FrameType

_HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """SIGINT, SIGTERM or SIGHUP came.

    A BaseException, so that nothing on the way takes it for a defect, and no KeyboardInterrupt,
    which click turns into an error of its own.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def exit_code(self) -> int:
        """The exit code of the command, as shells count."""
        return 128 + self.number

    def __str__(self) -> str:
        """Return what the command says at its end."""
        name = signal.Signals(self.number).name
        why = "interrupted" if self.number == signal.SIGINT else f"ended by {name}"
        return f"{why}; nothing half-written is left"


def heed_signals() -> None:
    """Turn signals into an exception; those that the parent said to ignore stay ignored."""
    for number in _HEEDED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def ignore_signals() -> None:
    """Let no signal cut short what a command does at its end."""
    for number in _HEEDED:
        signal.signal(number, signal.SIG_IGN)


def _stop(number: int, _: FrameType | None) -> None:
    ignore_signals()  # a second Ctrl-C must not cut the cleaning up short
    raise Stopped(number)
