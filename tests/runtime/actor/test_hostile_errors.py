"""Exceptions as bad as can be: their callers are told, and their actors live on."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, endpoint
from tests.runtime.actor.test_hostile_hooks import EndError, until

SECONDS = 30.0


@pytest.fixture
def proc(failures: list[ra.MeshFailure]) -> Iterator[ra.ProcMesh]:
    """Give one process."""
    mesh = ra.this_host().spawn_procs()
    yield mesh
    mesh.stop().get(SECONDS)


class Meta(type):
    """Tells no name once it is made."""

    def __getattribute__(cls, name: str) -> Any:
        if name == "__qualname__" and threading.current_thread() is not threading.main_thread():
            raise EndError("no name")
        return super().__getattribute__(name)


class Text(str):
    """Cannot be pickled."""

    __slots__ = ()

    def __reduce_ex__(self, _: Any) -> Any:
        raise EndError("text")

    def __eq__(self, _: object) -> bool:
        raise EndError("eq")

    __hash__ = str.__hash__


class NamelessError(Exception, metaclass=Meta):
    """Tells no name."""


class NotedError(Exception):
    """Tells no notes, no cause and no class, and takes none."""

    @property
    def __notes__(self) -> Any:  # type: ignore[override]
        raise EndError("notes")

    @property
    def __cause__(self) -> Any:  # type: ignore[override]
        raise EndError("cause")

    @property
    def __context__(self) -> Any:  # type: ignore[override]
        raise EndError("context")

    def __setattr__(self, name: str, value: object) -> None:
        raise EndError(name)


class OddTextError(Exception):
    """Has a text of an odd class."""

    def __str__(self) -> str:
        return Text("odd")

    def __eq__(self, _: object) -> bool:
        raise EndError("eq")

    def __hash__(self) -> int:
        raise EndError("hash")

    def __repr__(self) -> str:
        raise EndError("repr")


class OddSyntaxError(SyntaxError):
    """Has facts of odd types."""

    def __init__(self) -> None:
        super().__init__("odd", ("file", 1, 1, "text"))
        self.text = 7  # type: ignore[assignment]
        self.lineno = "x"  # type: ignore[assignment]


class HomesickError(Exception):
    """Ends whoever rebuilds it elsewhere."""

    def __reduce__(self) -> Any:
        return _only_at, (os.getpid(),)


def _only_at(pid: int) -> Exception:
    if os.getpid() != pid:
        raise SystemExit(9)
    return HomesickError()


class Raising(Actor):
    """Raises what it is told to."""

    @endpoint
    def fail(self, kind: Any) -> None:
        try:
            int("first")
        except ValueError:
            raise kind()  # noqa: B904

    @endpoint
    def fine(self) -> bool:
        return True


@pytest.mark.parametrize(
    "kind", [NamelessError, NotedError, OddTextError, OddSyntaxError, HomesickError]
)
def test_error_when_it_is_bad(proc: ra.ProcMesh, failures: list[ra.MeshFailure], kind: Any) -> None:
    raising: Any = proc.spawn("raising", Raising)
    with pytest.raises(ra.ActorError):
        raising.fail.call_one(kind).get(SECONDS)
    assert raising.fine.call_one().get(SECONDS)
    raising.fail.broadcast(kind)
    until(lambda: bool(failures))
    assert raising.fine.call_one().exception(SECONDS) is not None
    assert [failure.kind for failure in failures] == ["exception"]
