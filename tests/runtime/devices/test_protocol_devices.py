"""What is made for a device is made on that device, whichever one is current."""

import pytest

from runtime.devices import Device, available, device

_SIZE = 256 << 20


@pytest.fixture
def others(dev: Device) -> list[Device]:
    """Return the other devices of a GPU's platform."""
    if dev.platform == "cpu":
        pytest.skip("the processor's memory is everybody's")
    count = next(row.devices for row in available() if row.platform == dev.platform)
    return [device(f"{dev.platform}:{n}") for n in range(count) if n != dev.index]


def _free(dev: Device) -> int:
    dev.synchronize()
    return dev.memory_info()[0]


def test_memory_is_taken_from_its_own_device(dev: Device, others: list[Device]) -> None:
    before, elsewhere = _free(dev), [_free(other) for other in others]
    buffer = dev.allocate(_SIZE)
    assert before - _free(dev) >= buffer.nbytes
    assert [_free(other) for other in others] == elsewhere


def test_memory_is_given_back_to_its_own_device(dev: Device, others: list[Device]) -> None:
    buffer = dev.allocate(_SIZE)
    before, elsewhere = _free(dev), [_free(other) for other in others]
    del buffer
    assert _free(dev) - before >= _SIZE
    assert [_free(other) for other in others] == elsewhere
