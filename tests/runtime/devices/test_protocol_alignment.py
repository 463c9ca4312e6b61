"""Bytes that begin anywhere: what is wide is done only where both ends are aligned to it."""

import os

import pytest

from runtime.devices import Device, device

from .conftest import Read


@pytest.mark.parametrize("shift", [1, 2, 4, 8, 12, 16, 24])
def test_parts_are_packed_behind_one_of_any_size(dev: Device, read: Read, shift: int) -> None:
    contents = [os.urandom(shift), os.urandom(4096)]
    stream = dev.stream()
    parts = [dev.allocate(len(content)) for content in contents]
    for part, content in zip(parts, contents, strict=True):
        dev.copy(part, content, stream)
    packed = dev.allocate(sum(map(len, contents)))
    dev.pack(parts, packed, stream)
    stream.synchronize()
    assert read(packed) == b"".join(contents)
    for part in parts:
        dev.fill(part, 0, stream)
    dev.unpack(packed, parts, stream)
    stream.synchronize()
    assert [read(part) for part in parts] == contents


@pytest.mark.parametrize("size", [4, 12, 20, 1004])
def test_checksums_end_anywhere(dev: Device, size: int) -> None:
    cpu = device("cpu")
    data = os.urandom(size)
    buffer, stream = dev.allocate(size), dev.stream()
    dev.copy(buffer, data, stream)
    assert dev.checksum(buffer, stream) == cpu.checksum(data, cpu.stream())
