"""Pools, growing ranges, memory of the host and of others; each test runs on each platform here."""

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from runtime.devices import Device, DeviceError, UnsupportedError
from runtime.devices.ranges import as_range

from .conftest import Read

_SIZE = 4 << 20


def test_a_pool_hands_out_memory_in_a_streams_order(dev: Device, read: Read) -> None:
    pool, stream = dev.memory_pool(), dev.stream()
    buffer = pool.allocate(_SIZE, stream)
    dev.fill(buffer, 7, stream)
    stream.synchronize()
    assert buffer.nbytes == _SIZE
    assert read(buffer) == b"\x07" * _SIZE
    assert pool.reserved >= pool.used >= _SIZE


def test_a_pool_uses_again_what_was_given_back(dev: Device) -> None:
    pool, stream = dev.memory_pool(), dev.stream()
    first = pool.allocate(_SIZE, stream)
    reserved = pool.reserved
    del first
    stream.synchronize()
    assert pool.used == 0
    second = pool.allocate(_SIZE, stream)
    assert pool.reserved == reserved
    assert pool.used >= _SIZE
    del second


def test_a_pool_that_is_trimmed_gives_its_memory_back(dev: Device) -> None:
    pool, stream = dev.memory_pool(), dev.stream()
    kept = pool.allocate(_SIZE, stream)
    buffers = [pool.allocate(32 << 20, stream) for _ in range(4)]
    del buffers
    stream.synchronize()
    before = pool.reserved
    pool.trim()
    assert pool.used <= pool.reserved < before
    assert kept.nbytes == _SIZE


def test_a_pool_that_keeps_nothing_holds_nothing(dev: Device) -> None:
    pool, stream = dev.memory_pool(keep=0), dev.stream()
    buffer = pool.allocate(_SIZE, stream)
    del buffer
    stream.synchronize()
    assert pool.reserved == 0


def test_a_pools_buffer_outlives_the_names_of_pool_and_stream(dev: Device, read: Read) -> None:
    pool, stream = dev.memory_pool(), dev.stream()
    buffer = pool.allocate(64, stream)
    dev.fill(buffer, 3, stream)
    stream.synchronize()
    del pool, stream
    assert read(buffer) == b"\x03" * 64


@pytest.mark.parametrize("size", [-1, 1.5, None])
def test_what_is_no_size_of_a_pools_memory_is_an_error(dev: Device, size: object) -> None:
    with pytest.raises(ValueError, match=r"bytes cannot be allocated"):
        dev.memory_pool().allocate(size, dev.stream())  # type: ignore[arg-type]


def test_a_range_grows_where_it_is(dev: Device, read: Read) -> None:
    grown, stream = dev.virtual_range(1), dev.stream()
    unit = grown.granularity
    grown = dev.virtual_range(3 * unit)
    assert (grown.nbytes, grown.capacity) == (0, 3 * unit)
    grown.grow(1)
    assert grown.nbytes == unit
    address = grown.address
    dev.fill(grown, 5, stream)
    grown.grow(3 * unit)
    assert (grown.address, grown.nbytes) == (address, 3 * unit)
    stream.synchronize()
    assert read(grown)[:unit] == b"\x05" * unit


def test_a_range_does_not_shrink(dev: Device) -> None:
    grown = dev.virtual_range(1)
    grown.grow(1)
    grown.grow(0)
    assert grown.nbytes == grown.granularity


def test_a_range_beyond_its_capacity_is_an_error(dev: Device) -> None:
    grown = dev.virtual_range(1)
    message = rf"^a range of {grown.capacity} bytes cannot grow to {grown.capacity + 1}; reserve"
    with pytest.raises(ValueError, match=message):
        grown.grow(grown.capacity + 1)
    assert grown.nbytes == 0


def test_a_range_is_not_grown_by_what_no_memory_has(dev: Device) -> None:
    grown = dev.virtual_range(1)
    for size in (1 << 62, 1 << 63, (1 << 64) - 1, 1 << 80):
        with pytest.raises(ValueError, match=rf"cannot grow to {size}; reserve a larger one$"):
            grown.grow(size)
    assert grown.nbytes == 0


def test_a_range_that_threads_grow_at_once_has_all_that_was_asked(dev: Device) -> None:
    unit = dev.virtual_range(1).granularity
    grown = dev.virtual_range(64 * unit)

    def grow(thread: int) -> None:
        for step in range(thread, 64, 4):
            grown.grow((step + 1) * unit)
            assert grown.nbytes >= (step + 1) * unit

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(grow, range(4)))
    assert grown.nbytes == grown.capacity


def test_memory_cannot_be_pickled_or_copied_as_an_object(dev: Device) -> None:
    """Its address would be another's memory, here when it is given back and in other processes."""
    grown = dev.virtual_range(1)
    buffers = [dev.allocate(8), dev.memory_pool().allocate(8, dev.stream()), grown]
    for buffer in buffers:
        with pytest.raises(TypeError, match=r"pickle"):
            pickle.dumps(buffer)
        with pytest.raises(TypeError, match=r"pickle"):
            copy.copy(buffer)


def test_a_pool_may_keep_more_than_there_is(dev: Device) -> None:
    pool, stream = dev.memory_pool(keep=1 << 80), dev.stream()
    buffer = pool.allocate(64, stream)
    reserved = pool.reserved
    del buffer
    stream.synchronize()
    assert pool.reserved == reserved
    pool.trim(1 << 80)
    assert pool.reserved <= reserved


@pytest.mark.parametrize("size", [0, -1, None])
def test_a_range_of_no_addresses_is_an_error(dev: Device, size: object) -> None:
    with pytest.raises(ValueError, match=r"bytes cannot be reserved; a size from 1 is needed$"):
        dev.virtual_range(size)  # type: ignore[arg-type]


def test_more_addresses_than_there_are_is_a_device_error(dev: Device) -> None:
    with pytest.raises(DeviceError):
        dev.virtual_range(1 << 62)


def test_a_range_is_an_array_of_what_is_backed(dev: Device) -> None:
    grown = dev.virtual_range(1)
    grown.grow(1)
    found = as_range(grown)
    assert (found.address, found.nbytes) == (grown.address, grown.nbytes)


def test_registered_memory_is_reached_as_it_is(dev: Device, read: Read) -> None:
    data = bytearray(os.urandom(1 << 16))
    registered, stream = dev.register_host(data), dev.stream()
    assert registered.nbytes == len(data)
    assert registered.address == as_range(data).address
    assert registered.__dlpack_device__() == (1, 0)
    assert dev.device_address(registered) != 0
    dev.fill(registered, 9, stream)
    stream.synchronize()
    assert data == b"\x09" * len(data)
    assert read(registered) == bytes(data)


def test_registered_memory_is_held(dev: Device) -> None:
    data = bytearray(1 << 12)
    registered = dev.register_host(data)
    with pytest.raises(BufferError):
        data.extend(b"more")
    del registered
    data.extend(b"more")


def test_pinned_memory_has_an_address_for_the_device(dev: Device) -> None:
    pinned = dev.allocate_pinned(64)
    assert dev.device_address(pinned) != 0


def test_what_is_read_only_cannot_be_registered(dev: Device) -> None:
    with pytest.raises(ValueError, match=r"^bytes is no memory that can be written"):
        dev.register_host(b"12345678")


class _OfAGpu:
    """An array that says that it is in the memory of a GPU."""

    __cuda_array_interface__ = {"shape": (8,), "typestr": "|u1", "data": (0x1000, False)}  # noqa: RUF012

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


def test_memory_of_a_gpu_cannot_be_registered(dev: Device) -> None:
    with pytest.raises(ValueError, match=r"^_OfAGpu is not in memory of the host; give what is$"):
        dev.register_host(_OfAGpu())


def test_a_dmabuf_is_a_descriptor_or_a_reason(dev: Device) -> None:
    buffer = dev.allocate(2 << 20)
    try:
        exported = dev.export_dmabuf(buffer)
    except UnsupportedError as error:
        assert str(error)  # noqa: PT017 - one of two right answers
        return
    os.close(exported.descriptor)
    assert exported.offset + buffer.nbytes <= exported.nbytes


def test_a_handle_for_other_processes_is_bytes_or_a_reason(dev: Device) -> None:
    buffer = dev.allocate(2 << 20)
    try:
        handle, offset, nbytes = dev.export_ipc(buffer)
    except UnsupportedError as error:
        assert str(error)  # noqa: PT017 - one of two right answers
        return
    assert len(handle) == 64
    assert offset + buffer.nbytes <= nbytes


def test_a_device_is_no_peer_of_itself(dev: Device) -> None:
    assert not dev.can_access_peer(dev.index)
    with pytest.raises(DeviceError):
        dev.enable_peer_access(dev.index)
    with pytest.raises(DeviceError):
        dev.disable_peer_access(dev.index)


def test_a_peer_that_does_not_exist_is_a_device_error(dev: Device) -> None:
    for peer in (1000, -1, 1 << 31, 1 << 80):
        for ask in (dev.can_access_peer, dev.enable_peer_access, dev.disable_peer_access):
            with pytest.raises(DeviceError):
                ask(peer)


def test_a_gpu_that_was_used_has_a_context(dev: Device) -> None:
    dev.allocate(8)
    assert dev.has_context() == (dev.platform != "cpu")
