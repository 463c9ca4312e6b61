"""The actor of the soak: it numbers what it sends and checks the numbers of what it gets."""

import ctypes
import importlib
import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .ledger import Ledger, Tally

PACKAGE = os.environ.get("ACTOR_PACKAGE", "runtime.actor")
api: Any = importlib.import_module(PACKAGE)


class Talker(api.Actor):  # type: ignore[misc] # which package it is of is known when it runs
    """One life of one slot of the mesh; `name` is never used again for another."""

    def __init__(self, name: str, *, grandchild: bool) -> None:
        self._name = name
        self._ledger = Ledger()
        self._sent: dict[str, int] = {}
        self._delay = 0.0
        # Ends with the process that it belongs to only if someone sees to it.
        self._grandchild = _sleeper() if grandchild else None

    @api.endpoint  # type: ignore[untyped-decorator]
    def note(self, sender: str, number: int, payload: bytes) -> int:
        """Take a message and return its number."""
        self._ledger.record(sender, number)
        if self._delay:
            time.sleep(self._delay)
        return number if payload is not None else -1

    @api.endpoint  # type: ignore[untyped-decorator]
    def talk(self, listeners: Sequence[tuple[str, Any]], count: int, size: int) -> int:
        """Send numbered messages to each listener in turn; return how many were sent."""
        payload, done = bytes(size), 0
        for name, listener in listeners:
            for _ in range(count):
                number = self._sent.get(name, 0) + 1
                try:
                    listener.note.broadcast(self._name, number, payload)
                except Exception:  # noqa: BLE001 # it is dead, which each package says in its way
                    break
                self._sent[name] = number
                done += 1
        return done

    @api.endpoint  # type: ignore[untyped-decorator]
    def dawdle(self, delay: float) -> None:
        """Take that long over each message from now on."""
        self._delay = delay

    @api.endpoint  # type: ignore[untyped-decorator]
    def hog(self, seconds: float) -> None:
        """Hold the lock of the interpreter, as a long pause of the garbage collector does."""
        ctypes.PyDLL(None).usleep(int(seconds * 1e6) % 1_000_000)
        for _ in range(int(seconds)):
            ctypes.PyDLL(None).usleep(999_999)

    @api.endpoint  # type: ignore[untyped-decorator]
    def hold(self) -> None:
        """Never answer."""
        time.sleep(3600)

    @api.endpoint  # type: ignore[untyped-decorator]
    def pid(self) -> int:
        """Return the process that this actor lives in."""
        return os.getpid()

    @api.endpoint  # type: ignore[untyped-decorator]
    def tally(self) -> Tally:
        """Return what was sent and received so far, and what this process holds."""
        return Tally(
            self._name,
            dict(self._sent),
            dict(self._ledger.last),
            tuple(self._ledger.faults),
            descriptors(),
            resident(),
        )


def _sleeper() -> subprocess.Popen[bytes]:
    """Start a process that holds none of our pipes: whoever reads them would wait for it too."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(["sleep", "3600"], stdin=nothing, stdout=nothing, stderr=nothing)  # noqa: S607


def descriptors() -> int:
    """Return how many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 # without opening more than this one


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
