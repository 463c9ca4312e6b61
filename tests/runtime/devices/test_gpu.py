"""What a GPU device refuses before its module is called; a stand-in for the module counts calls."""

import ctypes
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from runtime.devices import Element
from runtime.devices.cpu import CpuDevice
from runtime.devices.gpu import GpuDevice


class _Memory:
    """Memory of the stand-in, at an address that nothing may touch."""

    def __init__(self, nbytes: int, address: int = 0x1000) -> None:
        self.nbytes, self.address = nbytes, address


class _Array:
    """Another library's array in the memory of a GPU, by DLPack's number of its kind."""

    def __init__(self, kind: int, address: int = 0x2000) -> None:
        self._kind = kind
        self.__cuda_array_interface__ = {"shape": (8,), "typestr": "|u1", "data": (address, False)}

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._kind, 0


class _Queue:
    """A stream that is always done."""

    def synchronize(self) -> None:
        """Return at once."""


@pytest.fixture
def calls() -> list[str]:
    """Return the list of functions that were called."""
    return []


@pytest.fixture(params=["cuda", "rocm"])
def dev(request: pytest.FixtureRequest, calls: list[str]) -> GpuDevice:
    """Return a device of each vendor."""
    module: Any = ModuleType("stand_in")
    module.Memory, module.MAX_SOURCES = _Memory, 8
    module.Stream = lambda *_: _Queue()
    module.allocate = lambda nbytes, _: _Memory(nbytes, 0x8000)
    for name in ("copy", "fill", "checksum", "pack", "unpack"):
        setattr(module, name, lambda *_, name=name: calls.append(name))
    module.accumulate = lambda _, sources, scale, *__: calls.append(f"{sources} * {scale}")
    return GpuDevice(request.param, 0, module, lambda *_: "arch")


Use = Callable[[GpuDevice, Any], object]
_KERNELS: dict[str, Use] = {
    "fill": lambda dev, array: dev.fill(array, 1, dev.stream()),
    "checksum": lambda dev, array: dev.checksum(array, dev.stream()),
    "pack": lambda dev, array: dev.pack([array], _Memory(8), dev.stream()),
    "pack into": lambda dev, array: dev.pack([_Memory(8)], array, dev.stream()),
    "unpack": lambda dev, array: dev.unpack(array, [_Memory(8)], dev.stream()),
    "unpack into": lambda dev, array: dev.unpack(_Memory(8), [array], dev.stream()),
    "accumulate": lambda dev, array: dev.accumulate(
        array, [_Memory(8)], 1.0, Element.FLOAT32, dev.stream()
    ),
    "accumulate from": lambda dev, array: dev.accumulate(
        _Memory(8), [array], 1.0, Element.FLOAT32, dev.stream()
    ),
}


@pytest.mark.parametrize("use", _KERNELS.values(), ids=_KERNELS)
def test_kernels_take_no_memory_of_the_host(dev: GpuDevice, use: Use, calls: list[str]) -> None:
    """They would end the process, or every later call of it."""
    with pytest.raises(ValueError, match=r"^bytearray is in memory of the host"):
        use(dev, bytearray(8))
    assert not calls


@pytest.mark.parametrize("use", _KERNELS.values(), ids=_KERNELS)
def test_kernels_take_no_memory_of_the_other_vendor(
    dev: GpuDevice, use: Use, calls: list[str]
) -> None:
    other = {"cuda": 10, "rocm": 2}[dev.platform]
    with pytest.raises(ValueError, match=r"in the memory of a GPU that is no (cuda|rocm) device$"):
        use(dev, _Array(other))
    assert not calls


@pytest.mark.parametrize("use", _KERNELS.values(), ids=_KERNELS)
def test_kernels_take_arrays_of_their_own_vendor(
    dev: GpuDevice, use: Use, calls: list[str]
) -> None:
    use(dev, _Array({"cuda": 2, "rocm": 10}[dev.platform]))
    assert calls


def test_a_copy_takes_memory_of_the_host(dev: GpuDevice, calls: list[str]) -> None:
    dev.copy(_Memory(8), b"12345678", dev.stream())
    dev.copy(bytearray(8), _Memory(8), dev.stream())
    assert calls == ["copy", "copy"]


def test_a_copy_into_what_is_read_only_is_an_error(dev: GpuDevice, calls: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^bytes is no memory that can be written"):
        dev.copy(b"12345678", _Memory(8), dev.stream())
    assert not calls


def test_elements_at_an_odd_address_are_an_error(dev: GpuDevice, calls: list[str]) -> None:
    odd = _Memory(8, 0x1001)
    with pytest.raises(ValueError, match=r"^elements of 4 bytes start at 0x1001, no multiple of 4"):
        dev.accumulate(odd, [], 1.0, Element.FLOAT32, dev.stream())
    with pytest.raises(ValueError, match=r"start at 0x1001"):
        dev.accumulate(_Memory(8, 0x4000), [odd], 1.0, Element.FLOAT64, dev.stream())
    assert not calls


def test_a_processors_stream_is_no_stream_of_a_gpu(dev: GpuDevice, calls: list[str]) -> None:
    with pytest.raises(ValueError, match=r"is no stream of a GPU$"):
        dev.checksum(_Memory(8), CpuDevice().stream())
    assert not calls


def test_the_processor_takes_no_memory_of_a_gpu() -> None:
    cpu = CpuDevice()
    with pytest.raises(ValueError, match=r"^_Array is in the memory of a GPU"):
        cpu.fill(_Array(2), 1, cpu.stream())


def test_the_processor_takes_pinned_memory() -> None:
    cpu, data = CpuDevice(), (ctypes.c_ubyte * 8)()
    cpu.fill(_Array(3, ctypes.addressof(data)), 7, cpu.stream())
    assert bytes(data) == b"\x07" * 8


def test_the_target_is_summed_before_a_launch_has_changed_it(
    dev: GpuDevice, calls: list[str]
) -> None:
    target, other = _Memory(8, 0x1000), _Memory(8, 0x2000)
    sources = [other] * 8 + [target]
    dev.accumulate(target, sources, 0.5, Element.FLOAT32, dev.stream())
    assert calls == [f"{[0x1000, *[0x2000] * 7]} * 1.0", f"{[0x2000]} * 0.5"]


def test_the_target_as_more_sources_than_a_launch_takes_is_an_error(
    dev: GpuDevice, calls: list[str]
) -> None:
    target = _Memory(8)
    with pytest.raises(ValueError, match=r"^9 of the sources are the target itself; at most 8"):
        dev.accumulate(target, [target] * 9, 1.0, Element.FLOAT32, dev.stream())
    assert not calls
