"""What every device has to do; each test runs once for each platform that has a device here."""

import array
import mmap
import os
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from runtime.devices import PLATFORMS, Device, DeviceError, Element, device
from runtime.devices.ranges import as_range

from .conftest import Read

Use = Callable[[], object]


def _floats(*values: float) -> "array.array[float]":
    return array.array("f", values)


def test_it_says_what_it_is(dev: Device) -> None:
    properties = dev.properties()
    assert properties.name
    assert properties.architecture
    free, total = dev.memory_info()
    assert 0 < free <= total
    assert properties.total_memory > 0
    assert properties.warp_size in (1, 32, 64)
    node = dev.numa_node()
    assert node is None or node >= 0


def test_bytes_come_back_as_they_went(dev: Device, read: Read) -> None:
    data = os.urandom(10_001)
    buffer, stream = dev.allocate(len(data)), dev.stream()
    dev.copy(buffer, data, stream)
    stream.synchronize()
    assert read(buffer) == data


def test_pinned_memory_is_the_hosts(dev: Device, read: Read) -> None:
    pinned, stream = dev.allocate_pinned(64), dev.stream()
    assert pinned.__dlpack_device__() == (1, 0)
    dev.copy(pinned, bytes(range(64)), stream)
    stream.synchronize()
    assert read(pinned) == bytes(range(64))


def test_a_copy_to_a_smaller_buffer_is_an_error_and_writes_nothing(dev: Device, read: Read) -> None:
    buffer, stream = dev.allocate(4), dev.stream()
    dev.fill(buffer, 7, stream)
    with pytest.raises(ValueError, match=r"^5 bytes do not fit into 4"):
        dev.copy(buffer, b"12345", stream)
    stream.synchronize()
    assert read(buffer) == b"\x07" * 4


@pytest.mark.parametrize("value", [0, 1, 255])
def test_filling_sets_every_byte(dev: Device, read: Read, value: int) -> None:
    buffer, stream = dev.allocate(1000), dev.stream()
    dev.fill(buffer, value, stream)
    stream.synchronize()
    assert read(buffer) == bytes([value]) * 1000


@pytest.mark.parametrize("value", [-1, 256])
def test_filling_with_what_is_no_byte_is_an_error(dev: Device, value: int) -> None:
    with pytest.raises(ValueError, match=r"is no byte"):
        dev.fill(dev.allocate(8), value, dev.stream())


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 4096, 100_003])
def test_checksums_are_the_processors(dev: Device, size: int) -> None:
    data = bytes((i * 31 + 7) % 251 for i in range(size))
    buffer, stream = dev.allocate(size), dev.stream()
    dev.copy(buffer, data, stream)
    cpu = device("cpu")
    assert dev.checksum(buffer, stream) == cpu.checksum(data, cpu.stream())


def test_a_checksum_is_the_one_that_was_written_down(dev: Device) -> None:
    """Calculated from the definition in bindings/core/host_kernels.h with Python's integers."""
    data = b"eclosion" * 3 + b"!"
    buffer, stream = dev.allocate(len(data)), dev.stream()
    dev.copy(buffer, data, stream)
    assert dev.checksum(buffer, stream) == _checksum(data)


def _checksum(data: bytes) -> int:
    mask = (1 << 64) - 1

    def mix(value: int) -> int:
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        return value ^ (value >> 31)

    total = mix(len(data))
    for number, at in enumerate(range(0, len(data), 8), start=1):
        word = int.from_bytes(data[at : at + 8], "little")
        total += mix(word ^ mix((number * 0x9E3779B97F4A7C15) & mask))
    return total & mask


def test_parts_are_packed_one_behind_the_other_and_unpacked(dev: Device, read: Read) -> None:
    contents = [os.urandom(size) for size in (16, 1, 0, 33, 4096)]
    stream = dev.stream()
    parts = [dev.allocate(len(content)) for content in contents]
    for part, content in zip(parts, contents, strict=True):
        dev.copy(part, content, stream)
    packed = dev.allocate(sum(map(len, contents)) + 5)
    dev.fill(packed, 0xEE, stream)
    dev.pack(parts, packed, stream)
    stream.synchronize()
    assert read(packed) == b"".join(contents) + b"\xee" * 5
    for part in parts:
        dev.fill(part, 0, stream)
    dev.unpack(packed, parts, stream)
    stream.synchronize()
    assert [read(part) for part in parts] == contents


def test_parts_that_do_not_fit_are_an_error(dev: Device) -> None:
    with pytest.raises(ValueError, match=r"^2 parts of 9 bytes do not fit into a buffer of 8"):
        dev.pack([dev.allocate(4), dev.allocate(5)], dev.allocate(8), dev.stream())


@pytest.mark.parametrize(
    ("element", "form"), [(Element.FLOAT32, "f"), (Element.FLOAT64, "d"), (Element.FLOAT16, "e")]
)
def test_replicas_are_averaged(dev: Device, read: Read, element: Element, form: str) -> None:
    rows = [[1.0, -2.5, 1000.0], [3.0, 0.5, 24.0], [2.0, 5.0, 0.0]]
    stream = dev.stream()
    buffers = []
    for row in rows:
        data = struct.pack(f"=3{form}", *row)
        buffers.append(dev.allocate(len(data)))
        dev.copy(buffers[-1], data, stream)
    dev.accumulate(buffers[0], buffers[1:], 0.5, element, stream)
    stream.synchronize()
    got = struct.unpack(f"=3{form}", read(buffers[0]))
    assert got == tuple(sum(column) * 0.5 for column in zip(*rows, strict=True))


def test_bfloat16_is_averaged(dev: Device, read: Read) -> None:
    stream = dev.stream()
    one, three = struct.pack("=H", 0x3F80), struct.pack("=H", 0x4040)
    target, source = dev.allocate(2), dev.allocate(2)
    dev.copy(target, one, stream)
    dev.copy(source, three, stream)
    dev.accumulate(target, [source], 0.5, Element.BFLOAT16, stream)
    stream.synchronize()
    assert read(target) == struct.pack("=H", 0x4000)


def test_no_source_only_scales(dev: Device, read: Read) -> None:
    stream = dev.stream()
    target = dev.allocate(4)
    dev.copy(target, _floats(3), stream)
    dev.accumulate(target, [], 2.0, Element.FLOAT32, stream)
    stream.synchronize()
    assert read(target) == _floats(6).tobytes()


@pytest.mark.parametrize(
    ("target", "source", "message"),
    [
        (8, 4, r"^accumulate: the target has 8 bytes and a source 4"),
        (6, 6, r"^6 bytes are no whole"),
    ],
)
def test_sizes_that_do_not_fit_are_errors(
    dev: Device, target: int, source: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        dev.accumulate(
            dev.allocate(target), [dev.allocate(source)], 1.0, Element.FLOAT32, dev.stream()
        )


def test_events_order_and_time_work(dev: Device) -> None:
    stream, other = dev.stream(), dev.stream()
    start, end = dev.event(has_time=True), dev.event(has_time=True)
    buffer = dev.allocate(1 << 16)
    start.record(stream)
    dev.fill(buffer, 1, stream)
    end.record(stream)
    other.wait(end)
    other.synchronize()
    assert end.is_done()
    assert end.elapsed_ms(start) >= 0


def test_a_time_needs_events_that_were_made_for_it(dev: Device) -> None:
    start, end, stream = dev.event(), dev.event(), dev.stream()
    start.record(stream)
    end.record(stream)
    stream.synchronize()
    with pytest.raises(DeviceError):
        end.elapsed_ms(start)


def test_more_memory_than_there_is_is_a_device_error(dev: Device) -> None:
    for size in (1 << 62, 1 << 63, (1 << 64) - 1, 1 << 64, 1 << 80):
        with pytest.raises(DeviceError):
            dev.allocate(size)
        with pytest.raises(DeviceError):
            dev.allocate_pinned(size)
        with pytest.raises(DeviceError):
            dev.memory_pool().allocate(size, dev.stream())
        with pytest.raises(DeviceError):
            dev.virtual_range(size)


class _Number:
    """A number of another library, which can be an index."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def test_a_size_is_whatever_can_be_an_index(dev: Device) -> None:
    size: Any = _Number(64)
    assert type(dev.allocate(size).nbytes) is int
    assert dev.allocate(size).nbytes == 64
    assert dev.memory_pool(keep=size).allocate(size, dev.stream()).nbytes == 64
    grown = dev.virtual_range(size)
    grown.grow(size)
    assert grown.nbytes == grown.capacity


def test_a_byte_is_whatever_can_be_an_index(dev: Device, read: Read) -> None:
    buffer, stream = dev.allocate(8), dev.stream()
    value: Any = _Number(7)
    dev.fill(buffer, value, stream)
    stream.synchronize()
    assert read(buffer) == b"\x07" * 8


@pytest.mark.parametrize("scale", [None, "8", b"1", [1.0], 1 << 2000])
def test_what_is_no_scale_is_an_error_also_in_a_recording(
    dev: Device,
    scale: Any,  # noqa: ANN401
) -> None:
    buffer, stream = dev.allocate(8), dev.stream()

    def average() -> None:
        dev.accumulate(buffer, [], scale, Element.FLOAT32, stream)

    with pytest.raises(ValueError, match=r"is no number to scale by"):
        average()
    with pytest.raises(ValueError, match=r"is no number to scale by"):
        dev.capture(stream, average)


def test_a_negative_size_is_an_error(dev: Device) -> None:
    with pytest.raises(ValueError, match=r"^-1 bytes cannot be allocated"):
        dev.allocate(-1)


def test_arrays_that_are_not_contiguous_are_errors(dev: Device) -> None:
    view = memoryview(bytearray(16))[::2]
    with pytest.raises((ValueError, TypeError, BufferError)):
        dev.copy(dev.allocate(16), view, dev.stream())


@pytest.mark.parametrize("value", [None, "8", 8.0])
def test_what_is_no_size_is_an_error(dev: Device, value: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"bytes cannot be allocated; a size"):
        dev.allocate(value)


@pytest.mark.parametrize("element", [0, 7, None, "float32"])
def test_what_is_no_element_is_an_error(dev: Device, element: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"is no Element"):
        dev.accumulate(dev.allocate(8), [], 1.0, element, dev.stream())


@pytest.mark.parametrize("thing", [None, 5, "stream"])
def test_what_is_no_stream_or_event_is_an_error(dev: Device, thing: Any) -> None:  # noqa: ANN401
    buffer, stream, event = dev.allocate(8), dev.stream(), dev.event()
    uses: list[Use] = [
        lambda: dev.copy(buffer, b"1", thing),
        lambda: dev.fill(buffer, 1, thing),
        lambda: dev.checksum(buffer, thing),
        lambda: dev.pack([buffer], dev.allocate(8), thing),
        lambda: dev.unpack(buffer, [dev.allocate(8)], thing),
        lambda: dev.accumulate(buffer, [], 1.0, Element.FLOAT32, thing),
        lambda: event.record(thing),
        lambda: stream.wait(thing),
        lambda: event.elapsed_ms(thing),
    ]
    for use in uses:
        with pytest.raises(ValueError, match=r"is no (stream|event) of"):
            use()


def test_an_event_is_no_stream(dev: Device) -> None:
    event: Any = dev.event()
    with pytest.raises(ValueError, match=r"is no stream of"):
        dev.fill(dev.allocate(8), 1, event)


@pytest.mark.parametrize("shift", [-4, 4])
def test_ranges_that_overlap_are_errors(dev: Device, shift: int) -> None:
    """Devices differ in what they would make of it."""
    stream, buffer = dev.stream(), dev.allocate(24)
    middle, other = _part(buffer, 8, 8), _part(buffer, 8 + shift, 8)
    uses: list[Use] = [
        lambda: dev.copy(middle, other, stream),
        lambda: dev.pack([other], middle, stream),
        lambda: dev.unpack(other, [middle], stream),
        lambda: dev.unpack(dev.allocate(16), [other, middle], stream),
        lambda: dev.accumulate(middle, [other], 1.0, Element.FLOAT32, stream),
    ]
    for use in uses:
        with pytest.raises(ValueError, match=r"give memory that is apart$"):
            use()


def test_ranges_that_touch_are_apart(dev: Device, read: Read) -> None:
    stream, buffer = dev.stream(), dev.allocate(16)
    dev.copy(buffer, bytes(range(16)), stream)
    dev.copy(_part(buffer, 8, 8), _part(buffer, 0, 8), stream)
    stream.synchronize()
    assert read(buffer) == bytes(range(8)) * 2


def test_a_target_may_be_its_own_source(dev: Device, read: Read) -> None:
    stream, target = dev.stream(), dev.allocate(8)
    dev.copy(target, _floats(1, 2), stream)
    dev.accumulate(target, [target, target], 1.0, Element.FLOAT32, stream)
    stream.synchronize()
    assert read(target) == _floats(3, 6).tobytes()


class _Part:
    """A part of a device's buffer, as others' views are handed over."""

    def __init__(self, buffer: Any, offset: int, nbytes: int) -> None:  # noqa: ANN401
        self._buffer = buffer
        data = (buffer.address + offset, False)
        self.__cuda_array_interface__ = {"shape": (nbytes,), "typestr": "|u1", "data": data}

    def __dlpack_device__(self) -> tuple[int, int]:
        kind: tuple[int, int] = self._buffer.__dlpack_device__()
        return kind


def _part(buffer: object, offset: int, nbytes: int) -> object:
    return _Part(buffer, offset, nbytes)


def test_threads_use_one_device_at_once(dev: Device) -> None:
    data = [os.urandom(100_000 + i) for i in range(8)]
    cpu = device("cpu")

    def work(content: bytes) -> int:
        stream, buffer = dev.stream(), dev.allocate(len(content))
        dev.copy(buffer, content, stream)
        return dev.checksum(buffer, stream)

    with ThreadPoolExecutor(len(data)) as pool:
        sums = list(pool.map(work, data, timeout=50))
    assert sums == [cpu.checksum(content, cpu.stream()) for content in data]


def test_memory_is_given_back(dev: Device) -> None:
    """A leak of 64 MiB each time would not fit."""
    for _ in range(64):
        buffer = dev.allocate(64 << 20)
        assert buffer.nbytes == 64 << 20
        del buffer


def test_a_processors_buffer_is_an_array_for_others() -> None:
    cpu = device("cpu")
    buffer = cpu.allocate(8)
    cpu.copy(buffer, b"abcdefgh", cpu.stream())
    again = as_range(buffer)
    assert (again.address, again.nbytes) == (buffer.address, 8)


def test_read_only_and_mapped_memory_are_sources() -> None:
    cpu = device("cpu")
    with mmap.mmap(-1, 16) as mapped:
        mapped[:] = b"0123456789abcdef"
        target = bytearray(16)
        cpu.copy(target, memoryview(mapped).toreadonly(), cpu.stream())
        assert bytes(target) == b"0123456789abcdef"


def test_the_platforms_have_names_of_their_own() -> None:
    assert len({p.name for p in PLATFORMS}) == len(PLATFORMS)
