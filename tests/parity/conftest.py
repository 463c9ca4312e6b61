"""What the tests of the parity suite share: the cell they run in, and the library of kernels."""

import os
from collections.abc import Callable

import pytest

from runtime.devices import Device, device
from runtime.devices.ranges import as_range
from tests.parity import device_module
from tests.parity.kernel_library import Cell, Kernels, build, cell

# Before anything asks which devices there are.
if (_own := cell(os.environ)) is not None:
    device_module.find(_own)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the first test of the kernels the time that it builds the library in, if it has to."""
    for item in items:
        if "kernels" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(300, func_only=True))


@pytest.fixture(scope="session")
def parity_cell() -> Cell:
    """Return the cell; without one there is no platform to test."""
    found = cell(os.environ)
    if found is None:
        pytest.skip("runs in a cell of the parity matrix: python -m ci.run CELL")
    return found


@pytest.fixture(scope="session")
def kernels(parity_cell: Cell) -> Kernels:
    """Return the kernels' library, loaded: its kernels run on the cell's platform."""
    if parity_cell.checked == "compiled":
        pytest.skip("nothing runs in a cell that compiles")
    return Kernels(build(parity_cell), parity_cell)


@pytest.fixture
def dev(parity_cell: Cell) -> Device:
    """Return the cell's GPU behind the device protocol."""
    return device(parity_cell.platform)


@pytest.fixture
def read(dev: Device) -> Callable[[object], bytes]:
    """Return a function that gives the bytes of a buffer."""

    def get(buffer: object) -> bytes:
        stream = dev.stream()
        here = bytearray(as_range(buffer).nbytes)
        dev.copy(here, buffer, stream)
        stream.synchronize()
        return bytes(here)

    return get
