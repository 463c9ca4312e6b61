"""The environment of a process that is to see some of its parent's devices.

The variables stack: what a driver reads first chooses of the machine's devices, and the others
count what that leaves. A process that has both with the same numbers often sees no device at all,
so it gets one of them, which names devices as the parent's own process would have found them.
"""

from collections.abc import Mapping

from runtime.devices.errors import DeviceUnavailableError
from runtime.devices.gpu_platform import GpuPlatform
from runtime.devices.libraries import PLATFORMS
from runtime.devices.visible import Filter, Filters, agreed

_PLATFORM_OF = {"nvidia": "cuda", "amd": "rocm"}


class NoDeviceForRankError(DeviceUnavailableError, ValueError):
    """The parent's variables leave no device for a rank."""


def child_env(
    parent: Mapping[str, str], local_rank: int, per_rank: int, vendor: str
) -> dict[str, str]:
    """Return the parent's environment with the devices of one rank of its host.

    `vendor` is "amd" or "nvidia". Rank r gets the r-th `per_rank` devices of those that the parent
    would see; where nothing filters them, how many there are is not known here. The parent's own
    environment stays as it is. Raises NoDeviceForRankError, a ValueError that names the variable,
    when the parent sees too few.
    """
    if local_rank < 0 or per_rank < 1:
        raise ValueError(
            f"local_rank={local_rank} and per_rank={per_rank}: ranks begin at 0, and each has one "
            "device or more"
        )
    filters = _platform(vendor).filters
    first = _of(filters.first, parent)
    named = _contradiction_free(filters, parent)
    pool = None if first is None else _chosen(first, None)
    if named is not None:
        pool = _chosen(named, pool)
    start = local_rank * per_rank
    if pool is None:
        mine = [str(number) for number in range(start, start + per_rank)]
    else:
        mine = pool[start : start + per_rank]
        if len(mine) < per_rank:
            raise _too_few([each for each in (first, named) if each], pool, local_rank, per_rank)
    return _with_devices(parent, filters, ",".join(mine))


def _platform(vendor: str) -> GpuPlatform:
    name = _PLATFORM_OF.get(vendor)
    for platform in PLATFORMS:
        if platform.name == name:
            return platform
    raise ValueError(f"vendor={vendor!r} is not known; it is 'amd' or 'nvidia'")


def _of(variable: str, environment: Mapping[str, str]) -> Filter | None:
    return Filter(variable, environment[variable]) if variable in environment else None


def _contradiction_free(filters: Filters, environment: Mapping[str, str]) -> Filter | None:
    """Return what counts the devices that are left; ValueError for two that disagree."""
    try:
        return agreed(filters, environment)
    except DeviceUnavailableError as error:
        raise NoDeviceForRankError(str(error)) from error


def _chosen(filter_: Filter, pool: list[str] | None) -> list[str]:
    """Return what a variable chooses of a pool, None for all; it ends at a number too high."""
    chosen: list[str] = []
    for entry in filter_.entries:
        if not entry.isdigit():
            chosen.append(entry)
        elif pool is None:
            chosen.append(str(int(entry)))
        elif int(entry) < len(pool):
            chosen.append(pool[int(entry)])
        else:
            break
    return chosen


def _too_few(
    found: list[Filter], pool: list[str], local_rank: int, per_rank: int
) -> NoDeviceForRankError:
    said = " and ".join(f"{each.variable}={each.value!r}" for each in found)
    return NoDeviceForRankError(
        f"{said} leaves {len(pool)} devices, and local rank {local_rank} with {per_rank} for each "
        f"rank needs {(local_rank + 1) * per_rank}; start fewer ranks, or change "
        f"{found[-1].variable}"
    )


def _with_devices(parent: Mapping[str, str], filters: Filters, value: str) -> dict[str, str]:
    """Write the devices to the variable that has said which there are, and take away the others."""
    child = dict(parent)
    present = [name for name in filters.named if name in parent]
    if filters.first in parent:
        for name in present:
            del child[name]
        child[filters.first] = value
        return child
    for name in present or filters.named[:1]:
        child[name] = value
    return child
