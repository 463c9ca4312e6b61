"""Recorded work; each test runs once for each platform that has a device here."""

import struct
from collections.abc import Callable
from typing import Any

import pytest

from runtime.devices import Device, DeviceError, Element

from .conftest import Read


def test_recorded_work_is_done_when_it_is_launched(dev: Device, read: Read) -> None:
    stream, buffer = dev.stream(), dev.allocate(16)
    dev.fill(buffer, 1, stream)
    graph = dev.capture(stream, lambda: dev.fill(buffer, 2, stream))
    stream.synchronize()
    assert read(buffer) == b"\x01" * 16
    assert graph.node_count == 1
    graph.launch(stream)
    stream.synchronize()
    assert read(buffer) == b"\x02" * 16


def test_a_graph_is_launched_again_and_again_in_its_order(dev: Device, read: Read) -> None:
    stream, total, one = dev.stream(), dev.allocate(4), dev.allocate(4)
    dev.fill(total, 0, stream)

    def work() -> None:
        dev.copy(one, struct.pack("=f", 1), stream)
        dev.accumulate(total, [one], 2.0, Element.FLOAT32, stream)

    graph = dev.capture(stream, work)
    assert graph.node_count == 2
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    assert read(total) == struct.pack("=f", 14)  # ((1 * 2 + 1) * 2 + 1) * 2


def test_a_graph_keeps_the_memory_that_it_uses(dev: Device, read: Read) -> None:
    stream, target = dev.stream(), dev.allocate(1 << 16)

    def record() -> Any:  # noqa: ANN401 - a graph
        source = dev.allocate(1 << 16)
        dev.fill(source, 7, stream)
        stream.synchronize()
        return dev.capture(stream, lambda: dev.copy(target, source, stream))

    graph = record()
    others = [dev.allocate(1 << 16) for _ in range(8)]
    for other in others:
        dev.fill(other, 0, stream)
    graph.launch(stream)
    stream.synchronize()
    assert read(target) == b"\x07" * (1 << 16)


def test_a_graph_can_be_part_of_another(dev: Device, read: Read) -> None:
    stream, buffer = dev.stream(), dev.allocate(8)
    inner = dev.capture(stream, lambda: dev.fill(buffer, 3, stream))
    outer = dev.capture(stream, lambda: inner.launch(stream))
    assert outer.node_count == 1
    outer.launch(stream)
    stream.synchronize()
    assert read(buffer) == b"\x03" * 8


def test_a_stream_says_whether_it_is_recorded(dev: Device) -> None:
    stream, other = dev.stream(), dev.stream()
    said: list[bool] = []

    def work() -> None:
        said.extend((stream.is_recording(), other.is_recording()))

    assert dev.capture(stream, work).node_count == 0
    assert said == [True, False]
    assert not stream.is_recording()


def test_a_stream_that_waits_for_a_recorded_event_is_recorded_too(dev: Device, read: Read) -> None:
    stream, other, buffer = dev.stream(), dev.stream(), dev.allocate(8)
    dev.fill(buffer, 0, stream)
    stream.synchronize()

    def work() -> None:
        fork, joined = dev.event(), dev.event()
        dev.fill(buffer, 1, stream)
        fork.record(stream)
        other.wait(fork)
        assert other.is_recording()
        dev.fill(buffer, 2, other)
        joined.record(other)
        stream.wait(joined)

    graph = dev.capture(stream, work)
    assert not other.is_recording()
    assert graph.node_count == 2
    assert read(buffer) == b"\x00" * 8
    graph.launch(stream)
    stream.synchronize()
    assert read(buffer) == b"\x02" * 8


def test_a_stream_that_joined_and_is_not_waited_for_is_an_error(dev: Device, read: Read) -> None:
    stream, other, buffer = dev.stream(), dev.stream(), dev.allocate(8)

    def work() -> None:
        fork = dev.event()
        fork.record(stream)
        other.wait(fork)
        dev.fill(buffer, 2, other)

    with pytest.raises(DeviceError):
        dev.capture(stream, work)
    dev.fill(buffer, 3, other)
    other.synchronize()
    dev.fill(buffer, 4, stream)
    stream.synchronize()
    assert read(buffer) == b"\x04" * 8


def test_what_the_work_raises_ends_the_recording(dev: Device, read: Read) -> None:
    stream, buffer = dev.stream(), dev.allocate(8)

    def work() -> None:
        dev.fill(buffer, 2, stream)
        raise LookupError("nothing is there")

    with pytest.raises(LookupError, match=r"^nothing is there$") as caught:
        dev.capture(stream, work)
    assert not stream.is_recording(), caught
    dev.fill(buffer, 5, stream)
    stream.synchronize()
    assert read(buffer) == b"\x05" * 8


@pytest.mark.parametrize("wait", ["synchronize", "is_done"])
def test_a_stream_that_is_recorded_cannot_be_waited_for(dev: Device, wait: str) -> None:
    stream = dev.stream()
    with pytest.raises(DeviceError):
        dev.capture(stream, getattr(stream, wait))
    stream.synchronize()


def test_an_event_of_a_recording_never_happens(dev: Device) -> None:
    stream, event = dev.stream(), dev.event()
    dev.capture(stream, lambda: event.record(stream))
    with pytest.raises(DeviceError):
        event.synchronize()
    event.record(stream)
    event.synchronize()
    assert event.is_done()


def test_an_event_from_before_a_recording_is_an_error_in_it(dev: Device) -> None:
    stream, other, event = dev.stream(), dev.stream(), dev.event()
    event.record(other)
    with pytest.raises(DeviceError):
        dev.capture(stream, lambda: stream.wait(event))
    assert not stream.is_recording()


def test_a_recording_in_a_recording_is_an_error(dev: Device) -> None:
    stream = dev.stream()
    with pytest.raises(DeviceError):
        dev.capture(stream, lambda: _nothing(dev.capture(stream, lambda: None)))
    assert not stream.is_recording()


def _nothing(_: object) -> None:
    """Leave a result."""


_WAITING: dict[str, Callable[[Device, Any, Any], object]] = {
    "checksum": lambda dev, buffer, stream: dev.checksum(buffer, stream),
    "pack": lambda dev, buffer, stream: dev.pack([buffer], dev.allocate(8), stream),
    "unpack": lambda dev, buffer, stream: dev.unpack(buffer, [dev.allocate(8)], stream),
    "a pool": lambda dev, _, stream: dev.memory_pool().allocate(8, stream),
}


@pytest.mark.parametrize("name", _WAITING)
def test_what_waits_cannot_be_recorded(dev: Device, name: str) -> None:
    stream, buffer = dev.stream(), dev.allocate(8)
    with pytest.raises(DeviceError):
        dev.capture(stream, lambda: _nothing(_WAITING[name](dev, buffer, stream)))
    assert not stream.is_recording()


@pytest.mark.parametrize("thing", [None, 5, "stream"])
def test_what_is_no_stream_is_not_recorded(dev: Device, thing: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"is no stream of"):
        dev.capture(thing, lambda: None)
    graph = dev.capture(dev.stream(), lambda: None)
    with pytest.raises(ValueError, match=r"is no stream of"):
        graph.launch(thing)


def test_handles_are_numbers_for_the_vendors_libraries(dev: Device) -> None:
    stream, event = dev.stream(), dev.event()
    assert (stream.handle != 0) == (event.handle != 0) == (dev.platform != "cpu")


@pytest.mark.parametrize("priority", [1 << 31, -(1 << 40), 0.5, None, "high"])
def test_what_is_no_priority_is_an_error(dev: Device, priority: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"is no priority of a stream; give 0, or lower"):
        dev.stream(priority)


def test_a_priority_that_the_device_has_not_is_its_nearest(dev: Device) -> None:
    for priority in (-(1 << 31), -1, 1, (1 << 31) - 1):
        assert dev.stream(priority).is_done()
