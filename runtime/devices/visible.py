"""The variables that choose devices, of both vendors, read together."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from runtime.devices.errors import VisibleDevicesError

_IDENTITIES = ("GPU-", "MIG-")
_SLURM = "SLURM_JOB_ID"


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

    @property
    def entries(self) -> list[str]:
        """What it chooses: its entries until the first that is none, as the runtimes read it."""
        found = map(str.strip, self.value.split(","))
        return list(takewhile(_is_device, found))


def visible_devices(filters: Filters, environment: Mapping[str, str]) -> Filter | None:
    """Return what filters a platform's devices, None where all are visible.

    Raises VisibleDevicesError for two filters that work on each other's numbers, and for two values
    for the same thing.  Schedulers set all variables alike: where the first leaves devices 0 to n,
    the others name the same ones by the same numbers, which is no second filter.
    """
    first = _present(filters.first, environment)
    if first is None:
        return agreed(filters, environment)
    again = [second for second in _named(filters, environment) if _filters_again(first, second)]
    if again:
        raise VisibleDevicesError(_double(first, again, environment))
    second = agreed(filters, environment)
    return second if first.entries and second and not second.entries else first


def agreed(filters: Filters, environment: Mapping[str, str]) -> Filter | None:
    """Return what stands in place of each other, without what the driver reads before.

    Raises VisibleDevicesError for two values for the same thing.
    """
    found = _named(filters, environment)
    for other in found[1:]:
        if other.entries != found[0].entries:
            raise VisibleDevicesError(
                f"{found[0].variable}={found[0].value} and {other.variable}={other.value} name"
                f" different devices, and {filters.title} reads both; unset {other.variable}"
            )
    # HIP takes an empty variable for none at all, and reads the next.
    return next((each for each in found if each.value), found[0] if found else None)


def _named(filters: Filters, environment: Mapping[str, str]) -> list[Filter]:
    found = (_present(name, environment) for name in filters.named)
    return [each for each in found if each]


def _present(variable: str, environment: Mapping[str, str]) -> Filter | None:
    return Filter(variable, environment[variable]) if variable in environment else None


def _filters_again(first: Filter, second: Filter) -> bool:
    """Whether the numbers of `second` could mean other devices than those of the machine."""
    if not first.entries or not second.entries:
        return False  # nothing is left to be counted
    numbers = [str(number) for number in range(len(first.entries))]
    return not first.entries == second.entries == numbers


def _double(first: Filter, again: list[Filter], environment: Mapping[str, str]) -> str:
    second = again[0]
    said = (
        f"{first.variable}={first.value} and {second.variable}={second.value} both filter the"
        " devices: the second counts what the first leaves, from 0; unset"
        f" {' and '.join(each.variable for each in again)}, and choose by {first.variable} alone"
    )
    if _SLURM not in environment:
        return said
    options = " ".join(f"-u {each.variable}" for each in again)
    return f"{said}: Slurm sets them for each step, so start it by `srun env {options} PROGRAM`"


def _is_device(entry: str) -> bool:
    return entry.startswith(_IDENTITIES) or (entry.isascii() and entry.isdigit())
