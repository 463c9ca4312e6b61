"""What comes out of a message is what went in: values, identity, and nothing shared."""
# ruff: noqa: ANN401 - values of any kind

import array
import mmap
import pickle
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runtime.transport import pickling
from runtime.transport.pickling import LARGE, PicklingError, dumps, loads

MANY = 1 << 17  # elements of an array that goes out of band


def sent(*values: Any) -> Any:
    """Return values as a receiver gets them: `bytes` as such, other buffers as writable memory."""
    data, buffers = dumps(values)
    raw = [each.raw() for each in buffers]
    came = [each.obj if type(each.obj) is bytes else bytearray(each) for each in raw]
    return loads(data, came)


def readonly(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array that cannot be written to."""
    values.setflags(write=False)
    return values


class Kind(np.ndarray[Any, Any]):
    """A kind of array."""


GRID = np.arange(MANY).reshape(256, -1)
ARRAYS = {
    "no dimensions": np.array(5),
    "empty": np.empty((0, 3)),
    "empty of large shape": np.empty((0, 1 << 20)),
    "few": np.arange(10)[::-1],
    "backwards": np.arange(MANY)[::-1],
    "every second": GRID[:, ::2],
    "transposed": GRID.T,
    "Fortran's order": np.asfortranarray(GRID),
    "repeated": np.broadcast_to(np.arange(1000), (300, 1000)),
    "big-endian": np.arange(MANY).astype(">i8"),
    "structured": np.zeros(MANY, dtype=[("a", "i4"), ("b", "f8", 3)]),
    "objects": np.array([1, "a", None, [1]], dtype=object),
    "text": np.array(["a", "bcd"]),
    "times": np.array(["2020-01-01"], dtype="M8[D]"),
    "complex": np.ones(MANY, complex),
    "half": np.ones(MANY, np.float16),
    "bool": np.ones(MANY, bool),
    "long": np.ones(MANY, np.longdouble),
    "records": np.rec.array([(1, 2.0)], dtype=[("x", "i4"), ("y", "f8")]),
    "masked": np.ma.array([1, 2, 3], mask=[False, True, False]),
    "of a class": GRID.view(Kind),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_array_when_sent(name: str) -> None:
    value = ARRAYS[name]
    came = sent(value)[0]
    assert type(came) is type(value)
    assert (came.dtype, came.shape) == (value.dtype, value.shape)
    assert came.dtype.hasobject or came.tobytes() == value.tobytes()
    assert came.dtype.names or came.tolist() == value.tolist()
    assert came.flags.writeable
    assert not np.shares_memory(came, value)


@pytest.mark.parametrize("many", [4, MANY])
def test_array_when_it_cannot_be_written_to(many: int) -> None:
    for value in (readonly(np.arange(many)), np.frombuffer(bytes(many), np.uint8)):
        came = sent(value)[0]
        assert came.tolist() == value.tolist()


def test_array_when_it_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(range(256)) * 1024)
    mapped = np.memmap(tmp_path / "file", dtype=np.uint8, mode="r+")
    came = sent(mapped)[0]
    assert came.tolist() == mapped.tolist()
    came[:] = 0
    assert mapped[1] == 1  # the file is the sender's
    with tempfile.TemporaryFile() as file:
        file.truncate(100)
        with (
            mmap.mmap(file.fileno(), 0) as memory,
            pytest.raises(PicklingError, match=r"^a value of type mmap.mmap \(at \[0\]\)"),
        ):
            sent(memory)


class Data(bytes):
    """A kind of bytes."""


class Buffer(bytearray):
    """A kind of bytearray."""


@pytest.mark.parametrize("size", [10, LARGE - 1, LARGE, 1 << 20])
@pytest.mark.parametrize("kind", [bytes, bytearray, Data, Buffer])
def test_bytes_when_sent(kind: Any, size: int) -> None:
    value = kind(b"x" * size)
    came = sent(value, [value], {"key": (value,)})
    assert type(came[0]) is kind
    assert came[0] == value
    assert came[0] is came[1][0] is came[2]["key"][0]


def test_bytes_when_seen_through_others() -> None:
    value = bytes(1 << 20)
    assert sent(memoryview(value))[0] == value
    assert sent(array.array("d", [1.5] * MANY))[0] == array.array("d", [1.5] * MANY)
    assert bytes(sent(pickle.PickleBuffer(value))[0]) == value


def test_bytes_when_large_are_out_of_band_wherever_they_stand() -> None:
    one, two = bytes(1 << 20), bytearray(1 << 20)
    data, buffers = dumps(([one, {"a": (two, one)}], one))
    assert len(data) < 1000
    assert len(buffers) == 2


@pytest.mark.parametrize("size", [10, 1 << 20])
def test_identity_when_a_value_comes_twice(size: int) -> None:
    values = [np.zeros(size), bytearray(size), {"large": bytes(size)}, [bytes(size)]]
    for value in values:
        first, second, (third,), fourth = sent(value, value, (value,), {"key": value})
        assert first is second is third is fourth["key"]


def test_identity_when_a_value_holds_itself() -> None:
    value: dict[str, Any] = {"large": bytes(1 << 20)}
    value["self"] = value
    came = sent(value)[0]
    assert came["self"] is came
    several: list[Any] = [bytearray(1 << 20)]
    several.append(several)
    assert (came := sent(several)[0])[1] is came


def test_large_values_when_there_are_many() -> None:
    values = [bytes([number % 256]) * LARGE for number in range(100)]
    lists = [list(range(5000)), values, {str(n): n for n in range(5000)}]
    assert sent(lists)[0] == lists


class Evil:
    """Raises what ends programs, whatever it is asked."""

    def __reduce__(self) -> Any:
        raise ValueError("evil")

    def __repr__(self) -> str:
        raise SystemExit(3)


def test_error_when_looking_for_the_culprit_raises() -> None:
    with pytest.raises(PicklingError, match="cannot be pickled"):
        dumps(({Evil(): threading.Lock()},))


def test_error_when_the_culprit_is_far_down(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PicklingError, match=r"type _thread.lock \(at \[0\]\[300000\]\)"):
        dumps(([*range(300_000), threading.Lock()],))
    monkeypatch.setattr(pickling, "_PATIENCE", 0.05)
    objects = [Slow() for _ in range(300)]
    with pytest.raises(PicklingError, match=r"^a value of type builtins.list \(at \[0\]\)"):
        dumps(([*objects, threading.Lock()],))


class Slow:
    """Takes time."""

    def __reduce__(self) -> Any:
        time.sleep(0.001)
        return Slow, ()
