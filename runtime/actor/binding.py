"""Where the processes of a host run: what a user writes, and the CPUs and memory that it means.

The text is checked where it is written, and resolved on the host that it is about.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KEYS = ("cpus", "physcpubind", "cpunodebind", "membind")
_NODES = "/sys/devices/system/node"


def check(proc_bind: Sequence[Mapping[str, str]] | None, per_host: int) -> None:
    """Raise ValueError for a binding that cannot be meant."""
    if proc_bind is None:
        return
    if len(proc_bind) != per_host:
        raise ValueError(
            f"proc_bind has {len(proc_bind)} entries for {per_host} processes of a host; give one "
            "for each"
        )
    for bind in proc_bind:
        for key, value in bind.items():
            if key not in _KEYS:
                raise ValueError(f"proc_bind has {key!r}; it takes {', '.join(_KEYS)}")
            numbers(value)


def numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a list as Linux writes it: 0-3,8. ValueError if it is none."""
    found: list[int] = []
    for part in str(text).strip().split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"{text!r} is no list of numbers; write them like 0-3,8")
        span = range(int(first), int(last or first) + 1)
        if not span:
            raise ValueError(f"{part!r} runs backwards; write the smaller number first")
        found += span
    return tuple(found)


def cpus(bind: Mapping[str, str]) -> tuple[int, ...] | None:
    """Return the CPUs of this host that a binding means, or None: any.

    ValueError when this host has no such NUMA node, or does not let this process use a CPU.
    """
    wanted: set[int] = set()
    for key in ("cpus", "physcpubind"):
        if key in bind:
            wanted |= set(numbers(bind[key]))
    for node in numbers(bind["cpunodebind"]) if "cpunodebind" in bind else ():
        wanted |= set(_cpus_of_node(node))
    missing = wanted - os.sched_getaffinity(0)
    if missing:
        raise ValueError(
            f"proc_bind names CPUs {sorted(missing)}, and this host lets its processes use "
            f"{sorted(os.sched_getaffinity(0))}"
        )
    return tuple(sorted(wanted)) or None


def memory(bind: Mapping[str, str]) -> tuple[int, ...] | None:
    """Return the NUMA nodes of this host that memory is to come from, or None: any."""
    if "membind" not in bind:
        return None
    wanted = numbers(bind["membind"])
    for node in wanted:
        _cpus_of_node(node)
    return wanted


def _cpus_of_node(node: int) -> tuple[int, ...]:
    try:
        with open(f"{_NODES}/node{node}/cpulist") as file:  # noqa: PTH123 - pathlib costs a start
            text = file.read().strip()
    except OSError:
        raise ValueError(f"proc_bind names NUMA node {node}, and this host has none such") from None
    return numbers(text) if text else ()
