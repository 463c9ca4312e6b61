"""Reports of endpoints that are stuck: those of several ranks at one place become one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMED = 16  # actors of one report

#: Mesh, endpoint and stack; path and process of the actor, its rank there, and its seconds.
Report = tuple[str, str, str, str, str, int, float]


def merged(reports: Iterable[Report]) -> list[str]:
    """Return what is said about endpoints that are stuck: once of each place that they are at."""
    places: dict[tuple[str, str, str], list[Report]] = {}
    for report in reports:
        places.setdefault(report[:3], []).append(report)
    return [_said(sorted(found, key=lambda each: each[5])) for found in places.values()]


def _said(reports: list[Report]) -> str:
    mesh, endpoint, stack, path, process, _, seconds = reports[0]
    if len(reports) == 1:
        head = f"{path}.{endpoint} has run for {seconds:.1f} s in {process}; it is at:"
        return f"{head}\n{stack}"
    longest = max(each[6] for each in reports)
    named = [f"{each[3]} in {each[4]}" for each in reports[:_NAMED]]
    more = [f"{len(reports) - _NAMED} more"] if len(reports) > _NAMED else []
    return (
        f"{mesh}.{endpoint} has run for {longest:.1f} s in {len(reports)} actors, "
        f"{', '.join(named + more)}; each is at:\n{stack}"
    )
