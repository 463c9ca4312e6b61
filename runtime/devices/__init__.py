"""Devices behind one interface, and what this machine has of them."""

import os
from collections.abc import Mapping, Sequence

from runtime.devices.child_environment import NoDeviceForRankError, child_env
from runtime.devices.cpu import CpuDevice
from runtime.devices.errors import (
    DeviceError,
    DeviceUnavailableError,
    UnsupportedError,
    VisibleDevicesError,
)
from runtime.devices.isolate import probe_apart
from runtime.devices.libraries import LIBRARIES, PLATFORMS
from runtime.devices.platforms import SELECTOR, Availability, examine, open_device
from runtime.devices.probe import probe
from runtime.devices.protocol import (
    Buffer,
    Device,
    DmaBuf,
    Element,
    Event,
    Graph,
    MemoryPool,
    Properties,
    Stream,
    VirtualRange,
)
from runtime.devices.record import Evidence, Finding, VendorLibrary

__all__ = [
    "LIBRARIES",
    "PLATFORMS",
    "Availability",
    "Buffer",
    "Device",
    "DeviceError",
    "DeviceUnavailableError",
    "DmaBuf",
    "Element",
    "Event",
    "Evidence",
    "Finding",
    "Graph",
    "MemoryPool",
    "NoDeviceForRankError",
    "Properties",
    "Stream",
    "UnsupportedError",
    "VendorLibrary",
    "VirtualRange",
    "VisibleDevicesError",
    "available",
    "child_env",
    "device",
    "probe",
    "probe_apart",
]

_CPU = "cpu"


def available(environment: Mapping[str, str] = os.environ) -> list[Availability]:
    """Return what each platform has, the processor last, with the reason where that is nothing."""
    return [*(examine(platform, environment) for platform in PLATFORMS), Availability(_CPU, 1)]


def device(name: str = "", environment: Mapping[str, str] = os.environ) -> Device:
    """Return a device: "cuda:1", "rocm", "cpu"; unnamed, the first of the platform to use.

    That is the one in GPU_PLATFORM (`none` is the processor); unset, the one that has devices here,
    the processor where none has.  Raises DeviceUnavailableError with the reason, where both
    vendors have devices and nothing says which to use, and where the variables that choose devices
    contradict each other.
    """
    wanted, _, number = (name or _chosen(environment)).partition(":")
    if wanted == _CPU and number in ("", "0"):
        return CpuDevice()
    platform = next((p for p in PLATFORMS if p.name == wanted), None)
    if platform is None or not (number or "0").isdecimal():
        known = ", ".join((*(p.name for p in PLATFORMS), _CPU))
        raise ValueError(
            f"{name!r} names no device; write one of {known}, with a number like cuda:0"
        )
    return open_device(platform, int(number or 0), environment)


def _chosen(environment: Mapping[str, str]) -> str:
    """Return the name of the platform to use where none was named."""
    said = environment.get(SELECTOR, "")
    if said:
        names = {**{p.name: p.name for p in PLATFORMS}, "none": _CPU}
        if said not in names:
            raise DeviceUnavailableError(
                f"{SELECTOR}={said} is none of {', '.join(names)};"
                " set it to one of these or unset it"
            )
        return names[said]
    return _only(available(environment))


def _only(rows: Sequence[Availability]) -> str:
    """Return the one vendor's platform that has devices, the processor where none has."""
    found = [row.platform for row in rows if row.devices and row.platform != _CPU]
    if len(found) > 1:
        raise DeviceUnavailableError(
            f"{found[0]} and {found[1]} both have devices and nothing says which to use;"
            f" set {SELECTOR}={found[0]} or {SELECTOR}={found[1]}"
        )
    contradicted = next((row for row in rows if row.is_contradicted), None)
    if not found and contradicted is not None:
        raise VisibleDevicesError(contradicted.reason)
    return found[0] if found else _CPU
