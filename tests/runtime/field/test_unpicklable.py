"""What cannot be pickled, or not be rebuilt, is an error at once; nobody waits for ever."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import threading
import time
from typing import Any

import pytest

from tests.runtime.field.rig import Actor, RemoteError, SerializationError, endpoint


class ShapeError(Exception):
    """Needs two arguments to be rebuilt, and pickles one."""

    def __init__(self, want: object, got: object) -> None:
        super().__init__(f"want {want} got {got}")


class Service(Actor):
    """Counts what it was given."""

    def __init__(self) -> None:
        self.count = 0

    @endpoint
    def raises_unfit(self) -> None:
        raise ShapeError((2, 3), (3, 2))

    @endpoint
    def raises_with_a_lock(self) -> None:
        error = ValueError("holds a lock")
        error.lock = threading.Lock()  # type: ignore[attr-defined]
        raise error

    @endpoint
    def returns_a_lock(self) -> object:
        return threading.Lock()

    @endpoint
    def takes(self, *_: object) -> int:
        self.count += 1
        return self.count


def test_values_when_they_cannot_travel(rt: Any) -> None:
    with rt.mesh(1) as mesh:
        one = mesh.spawn(Service)[0]
        for name, kind, text in (
            ("raises_unfit", "ShapeError", "want (2, 3) got (3, 2)"),
            ("raises_with_a_lock", "ValueError", "holds a lock"),
        ):
            before = time.monotonic()
            with pytest.raises(RemoteError) as caught:
                one.call(name, timeout=30)
            assert caught.value.type_name.endswith(kind)
            assert text in caught.value.message
            assert time.monotonic() - before < 5
        with pytest.raises(SerializationError, match="lock"):
            one.call("returns_a_lock", timeout=30)
        deep: list[Any] = []
        for _ in range(200_000):
            deep = [deep]
        for value in ({"k": [1, threading.Lock()]}, deep):
            with pytest.raises(SerializationError):
                one.call("takes", 1, value, timeout=30)
        while deep:
            deep = deep[0]
        assert one.call("takes", 1, 2, timeout=5) == 1  # it lives, and none of them ran
        assert rt.events() == []
