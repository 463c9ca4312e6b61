"""What a GPU device refuses before its module is called; a stand-in for the module counts calls."""

import ctypes
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from runtime.devices import PLATFORMS, DeviceError, Element, UnsupportedError
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

    def __init__(self) -> None:
        self.recording = False

    def synchronize(self) -> None:
        """Return at once."""

    def is_recording(self) -> bool:
        """Whether a capture has begun."""
        return self.recording


class _Capture:
    """A recording of nothing."""

    def __init__(self, queue: _Queue) -> None:
        self.queue = queue
        queue.recording = True

    def end(self) -> object:
        """Return a graph."""
        self.queue.recording = False
        return object()

    def cancel(self) -> None:
        """End it for nothing."""
        self.queue.recording = False


@pytest.fixture
def calls() -> list[str]:
    """Return the list of functions that were called."""
    return []


@pytest.fixture(params=PLATFORMS, ids=lambda platform: platform.name)
def dev(request: pytest.FixtureRequest, calls: list[str]) -> GpuDevice:
    """Return a device of each vendor."""
    module: Any = ModuleType("stand_in")
    module.Memory, module.MAX_SOURCES, module.Capture = _Memory, 8, _Capture
    module.Stream = lambda *_: _Queue()
    module.allocate = lambda nbytes, _: _Memory(nbytes, 0x8000)
    for name in ("copy", "fill", "checksum", "pack", "unpack"):
        setattr(module, name, lambda *_, name=name: calls.append(name))
    module.accumulate = lambda _, sources, scale, *__: calls.append(f"{sources} * {scale}")
    module.accumulate_many = lambda _, table, number, *__: calls.append(f"{number} at {table:#x}")
    return GpuDevice(request.param, 0, module)


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
    with pytest.raises(ValueError, match=r"is no stream of a GPU of (cuda|rocm)$"):
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


def test_sources_that_fit_go_with_the_launch_in_their_order(
    dev: GpuDevice, calls: list[str]
) -> None:
    target, other = _Memory(8, 0x1000), _Memory(8, 0x2000)
    sources = [other] * 7 + [target]
    dev.accumulate(target, sources, 0.5, Element.FLOAT32, dev.stream())
    assert calls == [f"{[*[0x2000] * 7, 0x1000]} * 0.5"]


def test_more_sources_are_a_table_of_one_launch(dev: GpuDevice, calls: list[str]) -> None:
    """Sums of half floats would be rounded between two launches."""
    target, other = _Memory(8, 0x1000), _Memory(8, 0x2000)
    dev.accumulate(target, [other] * 20 + [target], 0.5, Element.FLOAT16, dev.stream())
    assert calls == ["copy", "21 at 0x8000"]


def test_a_stream_of_another_platform_is_none() -> None:
    cuda, rocm = (GpuDevice(platform, 0, _module()) for platform in PLATFORMS)
    with pytest.raises(ValueError, match=r"is no stream of a GPU of cuda$"):
        cuda.fill(_Memory(8), 1, rocm.stream())


def _module() -> ModuleType:
    module: Any = ModuleType("stand_in")
    module.Memory, module.Stream, module.fill = _Memory, lambda *_: _Queue(), lambda *_: None
    result: ModuleType = module
    return result


@pytest.mark.parametrize("name", ["checksum", "pack", "unpack"])
def test_what_waits_is_not_recorded(dev: GpuDevice, calls: list[str], name: str) -> None:
    stream, array = dev.stream(), _Array({"cuda": 2, "rocm": 10}[dev.platform])
    with pytest.raises(DeviceError, match=r"in a stream that is recorded; do it before or after$"):
        dev.capture(stream, lambda: _use(dev, name, stream))
    assert not calls
    dev.fill(array, 1, stream)
    assert not stream.is_recording()


def _use(dev: GpuDevice, name: str, stream: Any) -> None:  # noqa: ANN401
    memory = _Memory(8)
    arguments: dict[str, tuple[Any, ...]] = {
        "checksum": (memory,),
        "pack": ([_Memory(8, 0x3000)], memory),
        "unpack": (memory, [_Memory(8, 0x3000)]),
    }
    getattr(dev, name)(*arguments[name], stream)


def test_a_graph_keeps_the_arrays_that_it_uses(dev: GpuDevice) -> None:
    stream, data = dev.stream(), bytearray(b"12345678")
    graph = dev.capture(stream, lambda: dev.copy(_Memory(8), data, stream))
    with pytest.raises(BufferError):
        data.extend(b"more")
    del graph
    data.extend(b"more")


class _RefusalError(RuntimeError):
    """What a module raises for a status that says "not supported"."""

    call, code, name, text = "gpuMemPoolCreate", 801, "gpuErrorNotSupported", "not here"


_RefusalError.__name__ = "UnsupportedError"


def test_what_the_vendor_does_not_support_is_told_apart(
    dev: GpuDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise _RefusalError("gpuMemPoolCreate returned 801")

    monkeypatch.setattr(dev._module, "Pool", refuse, raising=False)
    with pytest.raises(UnsupportedError, match=r"^gpuMemPoolCreate returned 801$") as caught:
        dev.memory_pool()
    assert (caught.value.call, caught.value.code) == ("gpuMemPoolCreate", 801)


@pytest.mark.parametrize("handle", ["h" * 64, None, bytearray(64), 64])
def test_what_is_no_handle_of_another_process_is_an_error(dev: GpuDevice, handle: Any) -> None:  # noqa: ANN401
    message = f"^a {type(handle).__name__} is no IPC handle; give the bytes that export_ipc"
    with pytest.raises(ValueError, match=message):
        dev.open_ipc(handle, 8)
