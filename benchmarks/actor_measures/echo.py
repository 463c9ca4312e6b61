"""The actor that is measured, written once for either package.

The two packages have the same names; ACTOR_PACKAGE says which one this process measures.  The
workers import this module too, so that the class travels by its name on both sides.
"""

import importlib
import os
import time
from typing import Any

PACKAGE = os.environ.get("ACTOR_PACKAGE", "runtime.actor")
api: Any = importlib.import_module(PACKAGE)

_PAGE = 4096


class Echo(api.Actor):  # type: ignore[misc] # which package it is of is known when it runs
    """Answer at once, look at what came, or never answer."""

    @api.endpoint  # type: ignore[untyped-decorator]
    def echo(self, value: bytes) -> bytes:
        """Return the argument."""
        return value

    @api.endpoint  # type: ignore[untyped-decorator]
    def pid(self) -> int:
        """Return the process that this actor lives in."""
        return os.getpid()

    @api.endpoint  # type: ignore[untyped-decorator]
    def look(self, value: Any) -> int:  # noqa: ANN401 # bytes, tensor or array
        """Read a byte of every page, so that an argument that came lazily has really come."""
        if isinstance(value, bytes):
            return sum(memoryview(value)[::_PAGE])
        return int(value[::_PAGE].sum())

    @api.endpoint  # type: ignore[untyped-decorator]
    def hold(self, started: str) -> None:
        """Write a byte into the pipe of that path, then never answer."""
        with open(started, "wb", buffering=0) as pipe:  # noqa: PTH123 # a FIFO, not a file
            pipe.write(b"x")
        time.sleep(3600)
