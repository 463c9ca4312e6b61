"""Exceptions of endpoints as callers see them: themselves, causes, and where they were raised."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import pickle
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, endpoint
from tests.runtime.field.scripts import Script

SECONDS = 30.0
pytestmark = pytest.mark.usefixtures("quiet")


class ShapeError(Exception):
    """Cannot be rebuilt from its arguments."""

    def __init__(self, want: int, got: int) -> None:
        super().__init__(f"want {want} got {got}")


class NoTextError(Exception):
    """Has no text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class OnlyThereError(Exception):
    """Does not unpickle in the client."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _not_in_the_client, ()


def _not_in_the_client() -> OnlyThereError:
    if ra.context().actor_instance.name == "client":
        raise ImportError("not here")
    return OnlyThereError("far")


class Faulty(Actor):
    """Raises."""

    @endpoint
    def raises(self, kind: str) -> None:
        missing: dict[str, int] = {}
        if kind == "chain":
            try:
                try:
                    missing["x"]
                except KeyError as error:
                    raise OSError(5, "disk") from error
            except OSError:
                raise ValueError("third")  # noqa: B904 - a context is wanted
        if kind == "from None":
            try:
                missing["x"]
            except KeyError:
                raise ValueError("alone") from None
        if kind == "circle":
            first, second = ValueError("first"), ValueError("second")
            first.__cause__, second.__cause__ = second, first
            raise first
        if kind == "lock":
            locked = ValueError("holds a lock")
            locked.lock = threading.Lock()  # type: ignore[attr-defined]
            raise locked
        if kind == "notes":
            noted = ValueError("noted")
            noted.add_note("a note")
            raise noted
        raise {"shape": ShapeError(2, 3), "no text": NoTextError(), "there": OnlyThereError("far")}[
            kind
        ]

    @endpoint
    def returns_lock(self) -> object:
        return threading.Lock()

    @endpoint
    def reads(self, value: object) -> object:
        return value

    @endpoint
    def sends(self, port: Port[Any], value: int) -> None:
        port.send(value)


class Broken:
    """Cannot be unpickled in an actor."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _raise, ("cannot be rebuilt",)


def _raise(text: str) -> None:
    raise LookupError(text)


@pytest.fixture(scope="module")
def proc() -> Iterator[ra.ProcMesh]:
    mesh = ra.this_host().spawn_procs()
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture(scope="module")
def faulty(proc: ra.ProcMesh) -> Any:
    return proc.spawn("faulty", Faulty)


def raised(faulty: Any, kind: str) -> ra.ActorError:
    """Return what a caller gets."""
    error = faulty.raises.call_one(kind).exception(SECONDS)
    assert isinstance(error, ra.ActorError)
    return error


def test_error_when_it_has_causes(faulty: Any) -> None:
    error = raised(faulty, "chain")
    original = error.__cause__
    assert isinstance(original, ValueError)
    assert original is error.exception
    context = original.__context__
    assert isinstance(context, OSError)
    assert context.errno == 5
    assert isinstance(context.__cause__, KeyError)
    printed = "".join(traceback.format_exception(error))
    for words in ("KeyError: 'x'", "OSError: [Errno 5] disk", "ValueError: third"):
        assert words in printed


def test_error_when_its_context_is_suppressed(faulty: Any) -> None:
    original = raised(faulty, "from None").exception
    assert original.__cause__ is original.__context__ is None


def test_error_when_its_causes_go_in_a_circle(faulty: Any) -> None:
    original = raised(faulty, "circle").exception
    assert str(original) == "first"
    assert str(original.__cause__) == "second"


def test_error_when_its_traceback_is_read(faulty: Any) -> None:
    error = raised(faulty, "chain")
    assert f'File "{__file__}"' in error.exception_formatted
    assert 'raise ValueError("third")' in error.exception_formatted
    assert "runtime/actor/actors.py" not in error.exception_formatted  # the user's frames only
    assert str(error).startswith("actor call faulty.raises failed: ValueError: third")
    assert error.exception_formatted in str(error)


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("shape", "ShapeError", "want 2 got 3"),
        ("lock", "ValueError", "holds a lock"),
        ("no text", "NoTextError", "its text cannot be had"),
    ],
)
def test_error_when_it_cannot_be_pickled(faulty: Any, kind: str, name: str, text: str) -> None:
    original = raised(faulty, kind).exception
    assert isinstance(original, ra.RemoteError)
    assert original.type_name.endswith(name)
    assert text in original.text


def test_error_when_it_cannot_be_rebuilt_here(faulty: Any) -> None:
    original = raised(faulty, "there").exception
    assert isinstance(original, ra.RemoteError)
    assert original.type_name.endswith("OnlyThereError")


def test_error_when_it_has_notes(faulty: Any) -> None:
    assert raised(faulty, "notes").exception.__notes__ == ["a note"]


def test_result_when_it_cannot_be_pickled(faulty: Any) -> None:
    with pytest.raises(ra.SerializationError, match=r"the result of faulty.returns_lock: .*lock"):
        faulty.returns_lock.call_one().get(SECONDS)


def test_argument_when_it_cannot_be_rebuilt_there(faulty: Any) -> None:
    with pytest.raises(ra.ActorError, match="LookupError: cannot be rebuilt"):
        faulty.reads.call_one(Broken()).get(SECONDS)
    assert faulty.reads.call_one(1).get(SECONDS) == 1


def test_argument_when_it_is_nested_too_deeply(faulty: Any) -> None:
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(ra.SerializationError, match="nested too deeply"):
        faulty.reads.call_one(deep)
    while deep:  # a recursive end of it would overflow the stack
        deep = deep[0]


def test_error_when_pickled_again(faulty: Any) -> None:
    import pickle

    error = raised(faulty, "chain")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert str(again) == str(error)
    assert isinstance(again.__cause__, ValueError)


def test_error_when_awaited(faulty: Any) -> None:
    async def main() -> None:
        await faulty.raises.call_one("notes")

    with pytest.raises(ra.ActorError, match="noted"):
        asyncio.run(main())


def test_error_when_many_actors_raise() -> None:
    with ra.this_host().spawn_procs({"r": 2}) as procs:
        mesh = procs.spawn("faulty", Faulty)
        with pytest.raises(ra.ActorError, match="noted"):
            mesh.raises.call("notes").get(SECONDS)


def test_port_when_it_was_sent_an_exception() -> None:
    port, receiver = Channel.open()
    port.exception(KeyError("k"))
    port.send(1)
    with pytest.raises(KeyError, match="k"):
        receiver.recv().get(SECONDS)
    assert receiver.recv().get(SECONDS) == 1


SCRIPT = """
from runtime.actor import *
class E(Actor):
    @endpoint
    def bad(self):
        raise ValueError("from main")  # the line
if __name__ == "__main__":
    e = this_host().spawn_procs().spawn("e", E)
    print("ERROR", repr(str(e.bad.call_one().exception(30))), flush=True)
"""
NOTEBOOK = """
import linecache
from runtime.actor import *
source = '''
class E(Actor):
    @endpoint
    def bad(self):
        raise ValueError("typed")  # the line
'''
name = "<cell 1>"
linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
exec(compile(source, name, "exec"))
e = this_host().spawn_procs().spawn("e", E)
print("ERROR", repr(str(e.bad.call_one().exception(30))), flush=True)
"""


@pytest.mark.parametrize("source", [SCRIPT, NOTEBOOK])
def test_traceback_when_the_class_is_of_the_script(
    program: Callable[[str], Script], source: str
) -> None:
    text = program(source).marker("ERROR", SECONDS)
    assert "# the line" in text
    assert "in bad" in text


class Ranked(Actor):
    """Fails at one place, in each of the ways in which a caller can be told."""

    def __init__(self) -> None:
        self.mine = ra.current_rank()["b"] == 1

    @endpoint
    def raises(self) -> None:
        if self.mine:
            raise LookupError("here")

    @endpoint
    def is_not_sent(self) -> Any:
        return threading.Lock() if self.mine else None

    @endpoint
    def takes(self, _: object) -> None:
        pass

    @endpoint(explicit_response_port=True)
    def refuses(self, port: ra.Port[None]) -> None:
        again: ra.Port[None] = pickle.loads(pickle.dumps(port))  # noqa: S301 - its own
        again.exception(LookupError("there")) if self.mine else again.send(None)


class OnlyHere:
    """Cannot be rebuilt where b=1."""

    def __reduce__(self) -> Any:
        return _refuse_at_one, ()


def _refuse_at_one() -> None:
    if ra.context().actor_instance.rank.get("b") == 1:
        raise LookupError("not at this one")


@pytest.fixture(scope="module")
def ranked() -> Iterator[Any]:
    mesh = ra.this_host().spawn_procs({"a": 1, "b": 2})
    yield mesh.spawn("ranked", Ranked)
    mesh.stop().get(SECONDS)


def copied(error: Any) -> Any:
    """Return what another process would have of it."""
    return pickle.loads(pickle.dumps(error))  # noqa: S301 - its own


@pytest.mark.parametrize("call", ["raises", "refuses", "takes"])
def test_error_when_one_of_several_has_raised(ranked: Any, call: str) -> None:
    arguments = (OnlyHere(),) if call == "takes" else ()
    whole = getattr(ranked, call).call(*arguments)
    part = getattr(ranked.slice(a=0, b=1), call).call_one(*arguments)
    (streamed,) = filter(
        None, (each.exception(SECONDS) for each in getattr(ranked, call).stream(*arguments))
    )
    for error in (whole.exception(SECONDS), part.exception(SECONDS), streamed):
        assert str(error).startswith(f"actor call ranked{{a=0, b=1}}.{call} failed: LookupError: ")
        for one in (error, copied(error)):
            assert (one.endpoint, one.rank, one.point) == (f"ranked.{call}", 1, {"a": 0, "b": 1})
            assert isinstance(one.__cause__, LookupError)


def test_error_when_the_result_of_one_of_several_is_not_sent(ranked: Any) -> None:
    error = ranked.is_not_sent.call().exception(SECONDS)
    assert str(error).startswith("the result of ranked{a=0, b=1}.is_not_sent: ")
