"""The order of failures that follow from each other: the root cause comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from runtime.actor.errors import MeshFailure


def root_first(failures: Collection[MeshFailure]) -> list[MeshFailure]:
    """Return the failures, each after those that it follows from, else in their order."""
    ids = {each.event_id for each in failures}
    # A failure follows from more of them than any that it follows from, so counting is enough.
    return sorted(failures, key=lambda each: len(ids & origins(each)))


def first_root(failures: Collection[MeshFailure]) -> MeshFailure:
    """Return the first of the failures that follows from no other of them."""
    ids = {each.event_id for each in failures}
    return next(each for each in failures if ids.isdisjoint(origins(each)))


def origins(failure: MeshFailure) -> set[str]:
    """Return the identities of all failures that this one follows from."""
    found: set[str] = set()
    origin = failure.origin
    while origin is not None:
        found.add(origin.event_id)
        origin = origin.origin
    return found


def chained(failure: MeshFailure, cause: MeshFailure) -> MeshFailure:
    """Return the failure as one that follows from the cause, which becomes its root's origin."""
    if cause.event_id == failure.event_id or cause.event_id in origins(failure):
        return failure
    origin = cause if failure.origin is None else chained(failure.origin, cause)
    return failure.but(origin=origin)
