"""Count what the processes of a soak hold: descriptors, memory, and objects.

Memory that was freed but is still the allocator's is not held: it goes back to the system before
a sample, and so do objects that only refer to each other.
"""

import ctypes
import gc
import importlib
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

from .holdings import Held, growth
from .talker import PACKAGE

_SHOWN = 10


_USED = (
    *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
    *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
)


class _Used(ctypes.Structure):
    """`struct mallinfo2`."""

    _fields_ = [(name, ctypes.c_size_t) for name in _USED]


_libc = ctypes.CDLL(None)
_libc.mallinfo2.restype = _Used


def give_back() -> None:
    """Give memory that was freed back to the system."""
    _libc.malloc_trim(0)


class Samples:
    """What the client held after each round, and the second host, if there is one."""

    def __init__(self) -> None:
        self.client: list[Held] = []
        self.host: list[Held] = []
        self._types: Counter[str] = Counter()

    def take(self, host: int | None) -> Held:
        """Take a sample of this process, which is returned, and of that one."""
        self.client.append(_own())
        if host is not None:
            self.host.append(_other(host))
        return self.client[-1]

    def half_is_over(self) -> None:
        """Remember what objects there are: what is there at the end, and was not now, grew."""
        self._types = _types()

    def growth(self) -> list[str]:
        """Return what grew throughout the second half."""
        found = growth(self.client)
        if found:
            found.append(f"the client's objects of the second half: {_more(self._types, _types())}")
        return found + growth(self.host, "the second host")


def _own() -> Held:
    gc.collect()
    give_back()
    used = _libc.mallinfo2()
    held = _other(os.getpid())
    counts = {"objects": len(gc.get_objects()), "bytes allocated": used.uordblks + used.hblkhd}
    return replace(held, counts=counts | _core())


def _other(pid: int) -> Held:
    rows = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    own, shared = (int(rows[name].split()[0]) << 10 for name in ("RssAnon", "RssShmem"))
    descriptors = len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208 - of many, and only counted
    return Held(descriptors, own, shared)


def _types() -> Counter[str]:
    kinds = Counter(map(type, gc.get_objects()))
    return Counter({f"{kind.__module__}.{kind.__qualname__}": kinds[kind] for kind in kinds})


def _more(before: Counter[str], now: Counter[str]) -> str:
    grown = (now - before).most_common(_SHOWN)
    return ", ".join(f"{name} {count:+}" for name, count in grown)


def _core() -> dict[str, int]:
    """Return what the core of this process keeps; another package has none to ask."""
    if PACKAGE != "runtime.actor":
        return {}
    local = importlib.import_module("runtime.actor.local")
    kept: dict[str, int] = local.local().node.holdings()
    return {f"core {name}": count for name, count in kept.items()}
