"""The variables that choose devices, of both vendors, read together.

Sources: CUDA Programming Guide, "CUDA Environment Variables"; ROCm documentation, "GPU isolation
techniques".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.devices.errors import VisibleDevicesError

CUDA = "CUDA_VISIBLE_DEVICES"
HIP = "HIP_VISIBLE_DEVICES"
ROCR = "ROCR_VISIBLE_DEVICES"
ORDINAL = "GPU_DEVICE_ORDINAL"


@dataclass(frozen=True)
class Filter:
    """The variable that filters a platform's devices, and its value."""

    variable: str
    value: str


def visible_devices(platform: str, environment: Mapping[str, str]) -> Filter | None:
    """Return what filters a platform's devices, None where all are visible.

    HIP honours CUDA's variable and GPU_DEVICE_ORDINAL.  ROCR's filters first and numbers what is
    left anew, so the numbers of the others would mean other devices than they say.  Raises
    VisibleDevicesError for two filters that work on each other's numbers, and for two values for
    the same thing.
    """
    if platform == "cuda":
        return Filter(CUDA, environment[CUDA]) if CUDA in environment else None
    if platform != "rocm":
        return None
    inner = [name for name in (HIP, CUDA, ORDINAL) if name in environment]
    for other in inner[1:]:
        if _listed(environment[other]) != _listed(environment[inner[0]]):
            raise VisibleDevicesError(
                f"{inner[0]}={environment[inner[0]]} and {other}={environment[other]} name"
                f" different devices, and HIP reads both; unset {other}"
            )
    if ROCR in environment and inner:
        name = inner[0]
        raise VisibleDevicesError(
            f"{ROCR}={environment[ROCR]} and {name}={environment[name]} both filter the devices:"
            f" the second counts what the first leaves, from 0; unset one of them"
        )
    if inner:
        return Filter(inner[0], environment[inner[0]])
    return Filter(ROCR, environment[ROCR]) if ROCR in environment else None


def _listed(value: str) -> list[str]:
    return [part.strip() for part in value.split(",")]
