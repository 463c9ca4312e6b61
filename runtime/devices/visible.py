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


@dataclass(frozen=True)
class Filter:
    """The variable that filters a platform's devices, and its value."""

    variable: str
    value: str

    @property
    def hides_all(self) -> bool:
        """Whether no device is left: an empty list, or one that starts with what is none."""
        return self.value.split(",")[0].strip() in ("", "-1", "NoDevFiles")


def visible_devices(platform: str, environment: Mapping[str, str]) -> Filter | None:
    """Return what filters a platform's devices, None where all are visible.

    HIP honours CUDA's variable.  ROCR's filters first and numbers what is left anew, so HIP's or
    CUDA's numbers would mean other devices than they say.  Raises VisibleDevicesError for two
    filters that work on each other's numbers, and for two values for the same thing.
    """
    if platform == "cuda":
        return Filter(CUDA, environment[CUDA]) if CUDA in environment else None
    if platform != "rocm":
        return None
    inner = [name for name in (HIP, CUDA) if name in environment]
    if len(inner) == 2 and environment[HIP] != environment[CUDA]:  # noqa: PLR2004 - both
        raise VisibleDevicesError(
            f"{HIP}={environment[HIP]} and {CUDA}={environment[CUDA]} name different devices, and"
            f" HIP reads both; unset {CUDA}"
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
