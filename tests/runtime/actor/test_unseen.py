"""Exceptions of calls whose futures nobody looked at: they are said, once."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import gc
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, endpoint
from tests.runtime.field.scripts import Script

SECONDS = 30.0
WORDS = "failed, and nobody has looked at its future: "


class Careless(Actor):
    """Raises where nobody may look."""

    @endpoint
    def raises(self, text: str = "unseen") -> None:
        raise LookupError(f"{text} at {ra.current_rank().rank}\nwith more")

    @endpoint
    def returns_lock(self) -> Any:
        return threading.Lock()

    @endpoint
    def ends(self) -> None:
        os._exit(3)

    @endpoint
    def nothing(self) -> None:
        pass


@pytest.fixture
def careless(failures: list[ra.MeshFailure]) -> Iterator[Any]:
    procs = ra.this_host().spawn_procs({"r": 2})
    yield procs.spawn("careless", Careless)
    procs.stop().get(SECONDS)


def lines(capsys: pytest.CaptureFixture[str], count: int) -> list[str]:
    """Wait until so many lines about calls were said; return them."""
    end, text = time.monotonic() + SECONDS, ""
    while text.count(WORDS) < count:
        assert time.monotonic() < end, text
        text += capsys.readouterr().err
    return [line for line in text.splitlines() if WORDS in line]


def test_a_future_that_is_dropped_before_the_reply(
    careless: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    careless.initialized.get(SECONDS)
    careless.slice(r=1).raises.call("one")
    careless.slice(r=0).returns_lock.call_one()
    second, first = sorted(lines(capsys, 2))
    assert first == f"actor call careless{{r=1}}.raises {WORDS}LookupError: one at 0"
    assert second.startswith(f"actor call careless.returns_lock {WORDS}")
    assert "SerializationError: the result of careless{r=0}.returns_lock: " in second


def test_futures_that_are_dropped_with_their_reply(
    careless: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = careless.raises.call("kept")
    careless.nothing.call().get(SECONDS)
    assert capsys.readouterr().err == ""
    del mine
    gc.collect()
    assert lines(capsys, 1)[0].partition(WORDS)[2].startswith("LookupError: kept at ")
    list(careless.raises.stream("streamed"))
    careless.nothing.call().get(SECONDS)
    assert {line[-1] for line in lines(capsys, 2)} == {"0", "1"}


def test_futures_that_somebody_has_looked_at(
    careless: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert careless.raises.call().exception(SECONDS) is not None
    with pytest.raises(ra.ActorError):
        careless.raises.call().get(SECONDS)

    async def looks() -> None:
        with pytest.raises(ra.ActorError):
            await careless.raises.call()
        with pytest.raises(ra.ActorError):
            await careless.raises.call().as_asyncio()

    asyncio.run(looks())
    careless.nothing.call()
    careless.slice(r=1).nothing.call_one().cancel()
    careless.slice(r=1).ends.call()  # its owner is told of that
    careless.slice(r=0).raises.call("last")
    assert len(lines(capsys, 1)) == 1
    gc.collect()
    assert capsys.readouterr().err == ""


def test_futures_when_their_process_ends(program: Callable[[str], Script]) -> None:
    script = program(
        "from runtime import actor as ra\n"
        "from runtime.actor import Actor, endpoint\n"
        "class A(Actor):\n"
        "    @endpoint\n"
        "    def bad(self, text): raise LookupError(text)\n"
        "    @endpoint\n"
        "    def drops(self, other):\n"
        "        other.bad.call('elsewhere')\n"
        "        other.ok.call().get(30)\n"
        "    @endpoint\n"
        "    def ok(self): pass\n"
        "procs = ra.this_host().spawn_procs({'n': 2})\n"
        "a = procs.spawn('a', A)\n"
        "a.slice(n=0).drops.call_one(a.slice(n=1)).get(30)\n"
        "def hold():\n"
        "    held = a.bad.call('held')\n"
        "    a.ok.call().get(30)\n"
        "hold()\n"
        "a.bad.call('dropped')\n"
        "a.ok.call().get(30)\n"
    )
    assert script.finish(SECONDS) == 0
    # the actor that drops it says it where the reply has come before, else its process does
    remote = r"\[(procs|a)\{n=0\}\] "
    for where, text in (("", "held"), ("", "dropped"), (remote, "elsewhere")):
        assert f"{WORDS}LookupError: {text}" in script.out
        assert script.out.count(f"LookupError: {text}") == 1
        (line,) = [each for each in script.out.splitlines() if each.endswith(text)]
        assert re.match(where + r"actor call a\{n=", line)
