"""What the kernel says of a process: memory and age."""

from __future__ import annotations

import os
import time

from runtime.telemetry.places import begun

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def rss(pid: int) -> int | None:
    """Return the bytes of memory that a process has in use, or None when it is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return None


def uptime(pid: int) -> float | None:
    """Return the seconds since a process began, or None when it is gone."""
    ticks = begun(pid)
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / _TICKS if ticks else None


def command(pid: int) -> str:
    """Return the command line of a process, or nothing."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def catches(pid: int, signal: int) -> bool:
    """Tell whether a process has a handler for a signal, which would end it otherwise."""
    try:
        with open(f"/proc/{pid}/status") as file:  # noqa: PTH123
            caught = next(line for line in file if line.startswith("SigCgt:"))
    except (OSError, StopIteration):
        return False
    return bool(int(caught.split()[1], 16) >> (signal - 1) & 1)
