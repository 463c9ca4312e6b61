"""Arrays of every making as ranges of memory, and those that are none."""

import array
import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from runtime.devices import Element, Stream
from runtime.devices.cpu import CpuDevice
from runtime.devices.ranges import as_range

CPU = CpuDevice()
_WELL_FORMED = {"shape": (4,), "typestr": "|u1", "data": (0x1000, False), "version": 3}


class _Interface:
    """An array that says where it is by `__cuda_array_interface__`."""

    def __init__(self, fields: object) -> None:
        self.__cuda_array_interface__ = fields


@pytest.mark.parametrize(
    "made",
    [
        (ctypes.c_int * 3)(1, 2, 3),
        ctypes.create_string_buffer(b"abc"),
        array.array("d", [1, 2]),
        memoryview(b"abcdef").cast("B", (2, 3)),
        bytearray(),
    ],
    ids=["ctypes array", "ctypes text", "array", "two dimensions", "nothing"],
)
def test_whatever_exports_a_buffer_is_a_range(made: Any) -> None:  # noqa: ANN401
    assert as_range(made).nbytes == memoryview(made).nbytes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": None}, r"has shape=None$"),
        ({"shape": 4}, r"has shape=4$"),
        ({"shape": ("4",)}, r"has shape=\('4',\)$"),
        ({"shape": (-4, -4)}, r"has shape=\(-4, -4\)$"),
        ({"shape": (4.0,)}, r"has shape=\(4\.0,\)$"),
        ({"shape": (1 << 40, 1 << 40)}, r"more than there are addresses$"),
        ({"typestr": "zz"}, r"has typestr='zz'$"),
        ({"typestr": None}, r"has typestr=None$"),
        ({"typestr": "<f-4"}, r"has typestr='<f-4'$"),
        ({"typestr": "|O8"}, r"has typestr='\|O8'$"),
        ({"data": None}, r"has data=None$"),
        ({"data": 4096}, r"has data=4096$"),
        ({"data": ("0x1000", False)}, r"has data=\('0x1000', False\)$"),
        ({"data": (-1, False)}, r"has data=\(-1, False\)$"),
        ({"data": (1 << 64, False)}, r"has data="),
        ({"data": ((1 << 64) - 2, False)}, r"more than there are addresses$"),
        ({"strides": (2,)}, r"not contiguous in C order"),
        ({"strides": (1, 1)}, r"not contiguous in C order"),
        ({"strides": 1}, r"not contiguous in C order"),
        ({"mask": object()}, r"has a mask"),
        ({"data": (0, False)}, r"4 bytes at address 0 are nowhere"),
    ],
)
def test_a_malformed_interface_is_an_error(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_range(_Interface({**_WELL_FORMED, **change}))


@pytest.mark.parametrize("field", ["shape", "typestr", "data"])
def test_an_interface_without_a_field_is_an_error(field: str) -> None:
    fields = {name: value for name, value in _WELL_FORMED.items() if name != field}
    with pytest.raises(ValueError, match=rf"has {field}=None$"):
        as_range(_Interface(fields))


@pytest.mark.parametrize("fields", [5, [1]])
def test_an_interface_that_is_no_dict_is_an_error(fields: object) -> None:
    with pytest.raises(ValueError, match=r"no dict$"):
        as_range(_Interface(fields))


def test_an_interface_says_whether_it_can_be_written() -> None:
    fields = {**_WELL_FORMED, "data": (0x1000, True)}
    assert as_range(_Interface(fields)).nbytes == 4
    with pytest.raises(ValueError, match=r"the array is read-only"):
        as_range(_Interface(fields), is_target=True)


@pytest.mark.parametrize("thing", [None, 5, 1.5, "text", [1], {}, bytes])
def test_what_is_no_array_is_told(thing: object) -> None:
    with pytest.raises(TypeError, match=r"is no array"):
        as_range(thing)


class _Refusing:
    """An array whose library refuses to hand it out."""

    def __dlpack__(self, **_: object) -> object:
        raise BufferError("it is on the moon")


class _Lying:
    """An array that hands out something else."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: object) -> object:
        return self.capsule


def test_an_arrays_own_refusal_is_passed_on() -> None:
    with pytest.raises(ValueError, match=r"^_Refusing is no memory .*: it is on the moon$"):
        as_range(_Refusing())


@pytest.mark.parametrize("capsule", [None, 5, b"12345678"])
def test_what_is_no_capsule_is_an_error(capsule: object) -> None:
    said = f"_Lying is no memory that can be read: its __dlpack__ gave {capsule!r}, no capsule"
    with pytest.raises(ValueError, match=f"^{said}$"):
        as_range(_Lying(capsule))


@pytest.mark.parametrize("said", [None, 2, (2,)])
def test_what_is_no_kind_of_device_is_an_error(said: object) -> None:
    class Odd(_Interface):
        def __dlpack_device__(self) -> object:
            return said

    with pytest.raises(ValueError, match=r"^Odd is no memory .* no kind and number$"):
        as_range(Odd(_WELL_FORMED))


class _Old:
    """An array of a library from before DLPack had versions."""

    def __init__(self, buffer: Any) -> None:  # noqa: ANN401
        self.buffer = buffer

    def __dlpack__(self) -> object:
        return self.buffer.__dlpack__()


def test_a_capsule_without_a_version_is_taken() -> None:
    buffer = CPU.allocate(8)
    assert as_range(_Old(buffer)).address == buffer.address


Write = Callable[[Any, Stream], None]
_WRITES: dict[str, Write] = {
    "copy": lambda to, stream: CPU.copy(to, b"12345678", stream),
    "fill": lambda to, stream: CPU.fill(to, 1, stream),
    "pack": lambda to, stream: CPU.pack([b"1234", b"5678"], to, stream),
    "unpack": lambda to, stream: CPU.unpack(b"12345678", [to], stream),
    "accumulate": lambda to, stream: CPU.accumulate(to, [], 2.0, Element.FLOAT32, stream),
}


@pytest.mark.parametrize("write", _WRITES.values(), ids=_WRITES)
@pytest.mark.parametrize("readonly", [lambda data: data, memoryview], ids=["bytes", "view"])
def test_what_is_read_only_is_never_written(write: Write, readonly: Callable[[bytes], Any]) -> None:
    data = bytes(bytearray(range(8)))
    with pytest.raises(ValueError, match=r"is no memory that can be written"):
        write(readonly(data), CPU.stream())
    assert data == bytes(range(8))


def test_memory_that_is_in_use_cannot_be_taken_away() -> None:
    data = bytearray(1 << 12)
    used = as_range(data)
    with pytest.raises(BufferError):
        data.extend(b"more")
    del used
    data.extend(b"more")
    assert len(data) == (1 << 12) + 4
