"""Which platforms have a device here, and why the others have none."""

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from runtime.devices.errors import DeviceError, DeviceUnavailableError, VisibleDevicesError
from runtime.devices.gpu import GpuDevice
from runtime.devices.gpu_platform import GpuPlatform
from runtime.devices.told import told
from runtime.devices.visible import Filter, visible_devices

SELECTOR = "GPU_PLATFORM"
_NO_DEVICE = 100  # cudaErrorNoDevice, hipErrorNoDevice


@dataclass(frozen=True)
class Availability:
    """A platform and the number of its devices, or the reason why there is none.

    `is_contradicted`: the reason is that the variables which choose devices contradict each other.
    """

    platform: str
    devices: int
    reason: str = ""
    is_contradicted: bool = False


def load(platform: GpuPlatform, environment: Mapping[str, str] = os.environ) -> ModuleType:
    """Return the module of a platform that has a device.

    Raises DeviceUnavailableError with the reason where there is none.
    """
    module = _import(platform, environment)
    filtered = visible_devices(platform.filters, environment)
    version = platform.version_of(_ask(platform, module.runtime_version))
    if version < platform.oldest:
        raise DeviceUnavailableError(
            f"{platform.title} {_dotted(version)} was loaded, {_dotted(platform.oldest)} or newer"
            f" is needed; put the folder of a newer {platform.library} on LD_LIBRARY_PATH"
        )
    count = _ask(platform, module.device_count, filtered)
    if not count:
        hidden = f"; {filtered.variable}={filtered.value} hides them" if filtered else ""
        raise DeviceUnavailableError(f"the driver has no {platform.title} device{hidden}")
    return module


def open_device(
    platform: GpuPlatform, index: int, environment: Mapping[str, str] = os.environ
) -> GpuDevice:
    """Return a device of a platform.  Raises DeviceUnavailableError."""
    module = load(platform, environment)
    count = _ask(platform, module.device_count)
    if not 0 <= index < count:
        raise DeviceUnavailableError(
            f"there is no device {platform.name}:{index}; {count} are visible, from 0"
        )
    return GpuDevice(platform, index, module)


def examine(platform: GpuPlatform, environment: Mapping[str, str] = os.environ) -> Availability:
    """Return what a platform has; it runs the vendor's software in this process."""
    try:
        module = load(platform, environment)
        return Availability(platform.name, _ask(platform, module.device_count))
    except DeviceUnavailableError as error:
        is_contradicted = isinstance(error, VisibleDevicesError)
        return Availability(platform.name, 0, str(error), is_contradicted)


def _import(platform: GpuPlatform, environment: Mapping[str, str]) -> ModuleType:
    try:
        return importlib.import_module(platform.module)
    except ModuleNotFoundError as error:
        raise DeviceUnavailableError(
            f"{platform.module} is not in this installation; build it with"
            f" pip install . -C cmake.define.ECLOSION_GPU={platform.name}"
        ) from error
    except ImportError as error:
        raise DeviceUnavailableError(
            f"{platform.module} cannot be loaded: {error}{_home(platform, environment)};"
            f" install {platform.title}, or put the folder of {platform.library} on LD_LIBRARY_PATH"
        ) from error


def _home(platform: GpuPlatform, environment: Mapping[str, str]) -> str:
    """Say of a toolkit's home that is set whether it could have helped."""
    for variable in platform.home_variables:
        home = environment.get(variable)
        if not home:
            continue
        folder = next(
            (f for f in ("lib", "lib64") if Path(home, f, platform.library).exists()), None
        )
        if folder is None:
            return f"; {variable}={home} is unusable, it has no lib/{platform.library}"
        return f"; it is in {Path(home, folder)}, which the loader does not search"
    return ""


def _ask(platform: GpuPlatform, question: Callable[[], int], filtered: Filter | None = None) -> int:
    """Return what the module answers; its failure is a reason to do without the platform."""
    try:
        with told():
            return question()
    except DeviceError as error:
        raise DeviceUnavailableError(_why(platform, error, filtered)) from error


def _why(platform: GpuPlatform, error: DeviceError, filtered: Filter | None) -> str:
    if error.code in platform.without_driver:
        return f"{platform.title} is here without a driver: {error}; install the driver"
    said = f"{platform.title} has no usable device: {error}"
    if error.code == _NO_DEVICE and filtered:
        said += f"; {filtered.variable}={filtered.value} may hide them"
    return said


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
