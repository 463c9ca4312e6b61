"""What a process tells of itself, as the settings want it: measured, traced, or neither."""

from __future__ import annotations

import os
import sys

from runtime import config
from runtime.telemetry import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.actor.local import Local


def begin(here: Local, *, first: bool = False) -> None:
    """Begin to measure and to trace; the process that is `first` makes the trace's file.

    That one's OSError is the program's. Another process, which may be of a host where the file
    cannot be, says so and goes on without.
    """
    path = config.get("trace_file")
    if path:
        from runtime.telemetry.trace import Trace

        if not os.path.isabs(path):  # noqa: PTH117 - pathlib costs every start of a process
            path = os.path.abspath(path)  # noqa: PTH100
            config.configure(trace_file=path)
        try:
            state.trace = Trace(path, here.node.id, here.name, here.host, first=first)
        except OSError as error:
            if first:
                raise
            sys.stderr.write(f"no trace of {here.name}: {error}\n")
    state.on = bool(path or config.get("metrics_address"))


def end() -> None:
    """End the trace."""
    state.on = False
    trace, state.trace = state.trace, None
    if trace is not None:
        trace.close()
