"""What a process tells of itself, as the settings want it: measured, traced, or neither."""

from __future__ import annotations

import os
import sys

from runtime import config
from runtime.actor.nodes import gateway_of
from runtime.telemetry import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.actor.local import Local


def begin(here: Local, *, client: int | None = None, first: bool = False) -> None:
    """Begin to measure and to trace for a client; the process that is `first` makes the file.

    A host that is not the client's has a file of its own. The client's OSError is the program's;
    another process, which may be where the file cannot be, says so and goes on without.
    """
    path = config.get("trace_file")
    if path:
        from runtime.telemetry.trace import BusyTraceError, Trace

        root = here.root if client is None else client
        path = os.path.abspath(path)  # noqa: PTH100 - pathlib costs every start of a process
        if gateway_of(root) != here.gateway:
            from runtime.telemetry.trace_parts import part_of

            path = part_of(path, here.host, here.gateway)
        try:
            try:
                state.trace = Trace(path, here.node.id, here.name, here.host, first=first)
            except BusyTraceError as error:
                stem, suffix = os.path.splitext(path)  # noqa: PTH122
                path = f"{stem}-{os.getpid()}{suffix}"
                sys.stderr.write(f"{error}; this one's is {path}\n")
                state.trace = Trace(path, here.node.id, here.name, here.host, first=first)
            if root == here.node.id:
                config.configure(trace_file=path)
        except OSError as error:
            if root == here.node.id:
                raise OSError(
                    error.errno,
                    f"trace_file is {path!r}, which cannot be written: {error.strerror or error}; "
                    "name a file in a folder that is there",
                ) from None
            sys.stderr.write(f"no trace of {here.name}: {error}\n")
    state.on = bool(path or config.get("metrics_address"))


def end() -> None:
    """End the trace."""
    state.on = False
    trace, state.trace = state.trace, None
    if trace is not None:
        trace.close()
