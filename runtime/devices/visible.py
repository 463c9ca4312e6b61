"""The variables that choose devices, of both vendors, read together."""

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.devices.errors import VisibleDevicesError


@dataclass(frozen=True)
class Filters:
    """The variables that choose a platform's devices.

    `named`: those that its runtime reads, each in place of the others.  `first`: the one that its
    driver reads before; what that leaves is numbered anew, so the numbers of the others would mean
    other devices than they say.
    """

    title: str
    named: tuple[str, ...]
    first: str = ""


@dataclass(frozen=True)
class Filter:
    """The variable that filters a platform's devices, and its value."""

    variable: str
    value: str


def visible_devices(filters: Filters, environment: Mapping[str, str]) -> Filter | None:
    """Return what filters a platform's devices, None where all are visible.

    Raises VisibleDevicesError for two filters that work on each other's numbers, and for two values
    for the same thing.
    """
    found = agreed(filters, environment)
    if filters.first in environment:
        first = Filter(filters.first, environment[filters.first])
        if found is not None:
            raise VisibleDevicesError(
                f"{first.variable}={first.value} and {found.variable}={found.value} both"
                " filter the devices: the second counts what the first leaves, from 0; unset one"
                " of them"
            )
        return first
    return found


def agreed(filters: Filters, environment: Mapping[str, str]) -> Filter | None:
    """Return what stands in place of each other, without what the driver reads before.

    Raises VisibleDevicesError for two values for the same thing.
    """
    found = [Filter(name, environment[name]) for name in filters.named if name in environment]
    for other in found[1:]:
        if _listed(other.value) != _listed(found[0].value):
            raise VisibleDevicesError(
                f"{found[0].variable}={found[0].value} and {other.variable}={other.value} name"
                f" different devices, and {filters.title} reads both; unset {other.variable}"
            )
    return found[0] if found else None


def _listed(value: str) -> list[str]:
    return [part.strip() for part in value.split(",")]
