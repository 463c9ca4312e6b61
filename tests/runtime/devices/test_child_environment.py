"""Which devices the process of a rank sees, judged by a model of how the variables stack."""

from collections.abc import Mapping
from typing import Any

import pytest

from runtime.devices import NoDeviceForRankError, child_env

FIRST, HIP, CUDA = "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"


def visible(environment: Mapping[str, str], physical: int = 8) -> list[Any]:
    """Return the devices that a process would see: the driver picks first, the others count on."""
    pool: list[Any] = list(range(physical))
    assert len({environment[name] for name in (HIP, CUDA) if name in environment}) < 2
    for name in (FIRST, HIP, CUDA):
        if name in environment:
            pool = picked(environment[name], pool)
            if name == HIP:
                break
    return pool


def picked(value: str, pool: list[Any]) -> list[Any]:
    """Return what one variable picks; it ends at the first entry that is none."""
    found: list[Any] = []
    for entry in filter(None, (part.strip() for part in value.split(","))):
        if entry.startswith("GPU-"):
            found.append(entry)
        elif entry.isdigit() and int(entry) < len(pool):
            found.append(pool[int(entry)])
        else:
            break
    return found


@pytest.mark.parametrize(
    ("parent", "rank", "each", "devices"),
    [
        ({}, 3, 1, [3]),
        ({}, 1, 4, [4, 5, 6, 7]),
        ({FIRST: "0,3,4,7"}, 1, 1, [3]),
        ({HIP: "2,3"}, 1, 1, [3]),
        ({CUDA: "4,5,6,7"}, 2, 1, [6]),
        ({HIP: "2,3", CUDA: "2, 3"}, 0, 1, [2]),
        ({FIRST: "0,3,4,7", HIP: "1,2"}, 1, 1, [4]),
        ({FIRST: "0,3,4,7", CUDA: "1,2"}, 0, 2, [3, 4]),
        ({FIRST: "0,1,2,3,4,5,6,7"}, 3, 2, [6, 7]),
        ({FIRST: "GPU-aa,GPU-bb"}, 1, 1, ["GPU-bb"]),
        ({FIRST: "GPU-aa,GPU-bb", HIP: "1"}, 0, 1, ["GPU-bb"]),
        ({HIP: "0,1,x,2"}, 1, 1, [1]),
    ],
)
def test_devices_when_the_parent_filters(
    parent: dict[str, str], rank: int, each: int, devices: list[Any]
) -> None:
    before = dict(parent)
    environment = child_env(parent | {"OTHER": "kept"}, rank, each, "amd")
    assert visible(environment) == devices
    assert environment["OTHER"] == "kept"
    assert parent == before


@pytest.mark.parametrize(
    ("parent", "named"),
    [
        ({CUDA: "-1"}, CUDA),
        ({HIP: ""}, HIP),
        ({FIRST: "0", HIP: "1"}, HIP),
        ({HIP: "0", CUDA: "1"}, HIP),
        ({HIP: "0,1"}, HIP),
        ({FIRST: "0,1"}, FIRST),
        ({HIP: "0,1,x,2"}, HIP),
    ],
)
def test_devices_when_there_are_too_few(parent: dict[str, str], named: str) -> None:
    with pytest.raises(NoDeviceForRankError, match=named):
        child_env(parent, 2, 1, "amd")
    assert issubclass(NoDeviceForRankError, ValueError)


def test_devices_when_the_other_vendor_is_asked() -> None:
    parent = {CUDA: "GPU-aa,MIG-bb,3", HIP: "7"}
    assert child_env(parent, 1, 1, "nvidia") == {CUDA: "MIG-bb", HIP: "7"}
    with pytest.raises(ValueError, match="vendor='intel' is not known"):
        child_env({}, 0, 1, "intel")
    with pytest.raises(ValueError, match="local_rank=-1"):
        child_env({}, -1, 1, "amd")
