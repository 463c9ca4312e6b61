"""From what release on a HIP name exists, as far as the files that were read can tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nametables.hip_names import HipInventory


@dataclass(frozen=True, slots=True)
class Span:
    """First and last release that has a name; `last` is empty while the newest one has it."""

    first: str
    last: str


def span(inventory: HipInventory, name: str) -> Span | None:
    """Return the releases that have a name, or None when no read file declares it.

    A release whose files were not read does not end a span.  It does not begin one either: a name
    first seen in a later release counts from there, unless a curated fact says otherwise.
    """
    order = inventory.releases
    present = inventory.present(name)
    seen = [release for release in order if release in present]
    if not seen:
        return None
    gone = inventory.absent(name)
    after = [release for release in order[order.index(seen[-1]) + 1 :] if release in gone]
    return Span(seen[0], seen[-1] if after else "")


def cite(inventory: HipInventory, name: str) -> str:
    """Return where a name is declared: `header FILE (releases); stub FILE (releases)`."""
    places: dict[tuple[str, str], list[str]] = {}
    for release in inventory.releases:
        for evidence in inventory.names.get(name, ()):
            if evidence.release == release:
                releases = places.setdefault((evidence.source, evidence.file), [])
                if release not in releases:
                    releases.append(release)
    parts = [f"{source} {file} ({', '.join(seen)})" for (source, file), seen in places.items()]
    return "; ".join(sorted(parts))
