"""Find the processes of a run, sum their memory, and end those that it left behind.

A run's processes carry RUN_VARIABLE in the environment that they were started with.  That finds
those too that changed their parent, which a walk down from the client would miss.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

RUN_VARIABLE = "ACTOR_BENCHMARK_RUN"
_PROC = Path("/proc")


def members(run: str) -> list[int]:
    """Return the pids of a run's processes that are alive, this one included if it is of it."""
    marker = f"{RUN_VARIABLE}={run}".encode()
    return sorted(pid for pid in _pids() if marker in _environment(pid).split(b"\0"))


def proportional_bytes(pids: list[int]) -> int:
    """Sum the memory of these processes, a page of several counted by parts (PSS)."""
    return sum(_proportional(pid) for pid in pids)


def left_behind(run: str, grace: float) -> list[int]:
    """Return what is still alive of a run when the grace is over, and kill it."""
    deadline = time.monotonic() + grace
    left = members(run)
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = members(run)
    remaining = left
    while remaining and time.monotonic() < deadline + grace + 5:
        for pid in remaining:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        remaining = members(run)
    return left


def _pids() -> list[int]:
    return [int(path.name) for path in _PROC.iterdir() if path.name.isdigit()]


def _environment(pid: int) -> bytes:
    """Return a process's first environment; nothing for a zombie or someone else's."""
    try:
        return (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return b""


def _proportional(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
