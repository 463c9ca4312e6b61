"""Averages have the same bits on every device; each test runs once for each platform here."""

import random
import struct
from collections.abc import Callable, Sequence

import pytest

from runtime.devices import Device, Element

from .conftest import Read

_COUNT = 37


def _float(value: float) -> float:
    """Round to a float; what two floats make in doubles is rounded once by it."""
    (rounded,) = struct.unpack("=f", struct.pack("=f", value))
    return float(rounded)


def _bfloat16_bytes(value: float) -> bytes:
    (bits,) = struct.unpack("=I", struct.pack("=f", value))
    return struct.pack("=H", (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)


def _bfloat16(data: bytes) -> float:
    (value,) = struct.unpack("=f", b"\0\0" + data)
    return float(value)


Write = Callable[[float], bytes]
_WRITE: dict[Element, Write] = {
    Element.FLOAT32: lambda value: struct.pack("=f", value),
    Element.FLOAT64: lambda value: struct.pack("=d", value),
    Element.FLOAT16: lambda value: struct.pack("=e", value),
    Element.BFLOAT16: _bfloat16_bytes,
}
_READ: dict[Element, Callable[[bytes], float]] = {
    Element.FLOAT32: lambda data: float(struct.unpack("=f", data)[0]),
    Element.FLOAT64: lambda data: float(struct.unpack("=d", data)[0]),
    Element.FLOAT16: lambda data: float(struct.unpack("=e", data)[0]),
    Element.BFLOAT16: _bfloat16,
}


def _average(element: Element, rows: Sequence[Sequence[float]], scale: float) -> bytes:
    """Return the bytes by the definition in bindings/core/host_kernels.h."""
    is_double = element is Element.FLOAT64
    narrow: Callable[[float], float] = float if is_double else _float
    data = b""
    for column in zip(*rows, strict=True):
        total = column[0]
        for value in column[1:]:
            total = narrow(total + value)
        data += _WRITE[element](narrow(total * narrow(scale)))
    return data


def _rows(element: Element, number: int) -> list[list[float]]:
    """Return elements whose sums depend on where they are rounded."""
    chance = random.Random(number)  # noqa: S311 - data of a test
    return [
        [_READ[element](_WRITE[element](chance.uniform(-3, 3))) for _ in range(_COUNT)]
        for _ in range(number)
    ]


def _put(dev: Device, data: bytes) -> object:
    stream, buffer = dev.stream(), dev.allocate(len(data))
    dev.copy(buffer, data, stream)
    stream.synchronize()
    return buffer


@pytest.mark.parametrize("number", [1, 2, 8, 9, 10, 64, 65, 66, 150])
@pytest.mark.parametrize("element", Element)
def test_averages_are_rounded_once(dev: Device, read: Read, element: Element, number: int) -> None:
    """However many sources there are: sums of a part that were rounded would differ."""
    rows, scale = _rows(element, number), 1 / number
    buffers = [_put(dev, b"".join(map(_WRITE[element], row))) for row in rows]
    stream = dev.stream()
    dev.accumulate(buffers[0], buffers[1:], scale, element, stream)
    stream.synchronize()
    assert read(buffers[0]) == _average(element, rows, scale)


def test_rounding_twice_would_be_seen() -> None:
    """The elements of these tests tell the difference, or the test above shows nothing."""
    rows = _rows(Element.FLOAT16, 17)
    part = _average(Element.FLOAT16, rows[:9], 1.0)
    halves = [_READ[Element.FLOAT16](part[at : at + 2]) for at in range(0, len(part), 2)]
    twice = _average(Element.FLOAT16, [halves, *rows[9:]], 1 / 17)
    assert twice != _average(Element.FLOAT16, rows, 1 / 17)


_NANS = {
    Element.FLOAT32: ("=I", 0xFFC12345, 0x7FC00000),
    Element.FLOAT64: ("=Q", 0xFFF8123456789ABC, 0x7FF8000000000000),
    Element.FLOAT16: ("=H", 0xFE12, 0x7E00),
    Element.BFLOAT16: ("=H", 0xFFC1, 0x7FC0),
}


@pytest.mark.parametrize("element", Element)
def test_what_is_no_number_has_one_form(dev: Device, read: Read, element: Element) -> None:
    form, given, expected = _NANS[element]
    target, source = (_put(dev, struct.pack(form, given)) for _ in range(2))
    stream = dev.stream()
    dev.accumulate(target, [source], 0.5, element, stream)
    stream.synchronize()
    assert read(target) == struct.pack(form, expected)


@pytest.mark.parametrize("element", Element)
def test_infinities_and_the_smallest_numbers_stay(
    dev: Device, read: Read, element: Element
) -> None:
    smallest = (b"\1" + bytes(element.nbytes - 1)) * 2
    infinite = _WRITE[element](float("inf")) * 2
    target, source = _put(dev, smallest + infinite), _put(dev, smallest + infinite)
    stream = dev.stream()
    dev.accumulate(target, [source], 1.0, element, stream)
    stream.synchronize()
    assert read(target) == (b"\2" + bytes(element.nbytes - 1)) * 2 + infinite


def test_many_sources_may_be_the_target_itself(dev: Device, read: Read) -> None:
    target = _put(dev, struct.pack("=2f", 1, 2))
    stream = dev.stream()
    dev.accumulate(target, [target] * 99, 0.5, Element.FLOAT32, stream)
    stream.synchronize()
    assert read(target) == struct.pack("=2f", 50, 100)
