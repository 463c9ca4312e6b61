"""A device of each platform that has one here, for the suite that all of them have to pass."""

from collections.abc import Callable

import pytest

from runtime.devices import Device, available, device
from runtime.devices.ranges import as_range

NAMES = [row.platform for row in available() if row.devices]
# Of several devices, the last too: what is done for the first by mistake is seen there.
NAMES += [f"{row.platform}:{row.devices - 1}" for row in available() if row.devices > 1]
Read = Callable[[object], bytes]


@pytest.fixture(params=NAMES)
def dev(request: pytest.FixtureRequest) -> Device:
    """Return the first device of each platform, and the last."""
    return device(request.param)


@pytest.fixture
def read(dev: Device) -> Read:
    """Return a function that gives the bytes of a buffer."""

    def get(buffer: object) -> bytes:
        stream = dev.stream()
        here = bytearray(as_range(buffer).nbytes)
        dev.copy(here, buffer, stream)
        stream.synchronize()
        return bytes(here)

    return get
