"""What two devices of a platform have to do with each other; run where a platform has two."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from runtime.devices import Device, DeviceError, available, device
from runtime.devices.ranges import as_range

PLATFORMS = [row.platform for row in available() if row.devices > 1]


@pytest.fixture(params=PLATFORMS)
def pair(request: pytest.FixtureRequest) -> tuple[Device, Device]:
    """Return the first two devices of a platform."""
    return device(f"{request.param}:0"), device(f"{request.param}:1")


def test_a_device_reaches_its_peer(pair: tuple[Device, Device]) -> None:
    first, second = pair
    with pytest.raises(DeviceError) as caught:
        first.enable_peer_access(first.index)
    assert caught.value.call.endswith("DeviceEnablePeerAccess")
    assert caught.value.call.startswith({"cuda": "cuda", "rocm": "hip"}[first.platform])
    assert first.can_access_peer(second.index)
    first.enable_peer_access(second.index)
    first.enable_peer_access(second.index)
    first.disable_peer_access(second.index)
    with pytest.raises(DeviceError):
        first.disable_peer_access(second.index)


def test_a_copy_goes_from_one_to_the_other(pair: tuple[Device, Device]) -> None:
    first, second = pair
    data, here = bytes(range(256)), bytearray(256)
    ours, theirs, streams = first.allocate(256), second.allocate(256), [d.stream() for d in pair]
    first.copy(ours, data, streams[0])
    streams[0].synchronize()
    second.copy(theirs, ours, streams[1])
    second.copy(here, theirs, streams[1])
    streams[1].synchronize()
    assert here == data


def test_a_stream_waits_for_the_other_devices_event(pair: tuple[Device, Device]) -> None:
    streams, event = [d.stream() for d in pair], pair[0].event()
    event.record(streams[0])
    streams[1].wait(event)
    streams[1].synchronize()
    assert event.is_done()


def test_memory_is_given_back_by_any_thread(pair: tuple[Device, Device]) -> None:
    """A new thread's current device is the first one."""
    second = pair[1]
    buffers = [
        second.allocate(64),
        second.allocate_pinned(64),
        second.register_host(bytearray(64)),
        second.memory_pool().allocate(64, second.stream()),
        second.virtual_range(64),
    ]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(buffers.clear).result(timeout=30)
    assert as_range(second.allocate(8)).nbytes == 8


def test_the_current_device_stays_as_it_was(pair: tuple[Device, Device]) -> None:
    """Other libraries of the process, torch among them, ask for it."""
    module = importlib.import_module(f"runtime._gpu_{pair[0].platform}")
    for each in pair:
        module.set_device(each.index)
        for other in pair:
            stream, buffer = other.stream(), other.allocate(64)
            other.fill(buffer, 1, stream)
            other.capture(stream, partial(other.fill, buffer, 2, stream)).launch(stream)
            del buffer
            assert module.current_device() == each.index
    module.set_device(0)


def test_the_devices_export_their_own(pair: tuple[Device, Device]) -> None:
    for each in pair:
        handle, offset, nbytes = each.export_ipc(each.allocate(64))
        assert (len(handle), offset) == (64, 0)
        assert nbytes >= 64
