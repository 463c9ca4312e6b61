"""Actors that a host has begin for an owner elsewhere, while its shared memory is used up."""
# ruff: noqa: ANN401 - a stand-in takes what the core takes

import queue
import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from runtime import actor as ra
from runtime import config, core
from runtime.actor.nodes import new_gateway, new_node
from runtime.actor.passing_on import pass_on
from runtime.transport.pickling import dumps, loads

SECONDS = 10.0
OWNER, ACTOR = 7, 9


class Used:
    """A node whose shared memory has no room for the first `refusals` messages with buffers."""

    def __init__(self, refusals: int) -> None:
        self.id = new_gateway()
        self.sent: queue.Queue[tuple[str, bytes, int]] = queue.Queue()
        self._refusals = refusals

    def obituary_of(self, _: int) -> None:
        """Know of no death."""

    def cast(
        self, _to: Any, _by: int, method: str, _: Any, data: bytes, buffers: Any, patience: float
    ) -> None:
        if buffers and self._refusals:
            self._refusals -= 1
            agents = threading.current_thread() is threading.main_thread()
            assert (patience == 0.0) is agents  # which waits for nobody
            raise core.FullError("shared memory")
        self.sent.put((method, data, threading.get_ident()))


def begin(node: Used, nodes: Sequence[int], owner: int) -> None:
    spec = {"owner": (owner, OWNER), "actor": ACTOR, "mesh_name": "mortals"}
    data, _ = dumps((nodes, spec, (0, 1)))
    message = SimpleNamespace(data=data, buffers=lambda: [b"class and arguments"])
    pass_on(SimpleNamespace(node=node, host="there"), message)  # type: ignore[arg-type]


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("refusals", [0, 1])
def test_actors_begin_when_there_is_room(refusals: int) -> None:
    node = Used(refusals)
    begin(node, [new_node(node.id), new_node(node.id)], new_gateway())
    method, data, thread = node.sent.get(timeout=SECONDS)
    assert method == "spawn"
    assert loads(data)[1] == (0, 1)
    assert (thread == threading.get_ident()) is (refusals == 0)


@pytest.mark.usefixtures("quiet")
def test_the_owner_is_told_when_there_is_no_room() -> None:
    node = Used(2)
    nodes = [new_node(node.id), new_node(node.id)]
    with config.configured(send_timeout=0.25):
        begin(node, nodes, new_gateway())
        told = [node.sent.get(timeout=SECONDS) for _ in nodes]
    for one, (method, data, _) in zip(nodes, told, strict=True):
        owner, where, actor, failure = loads(data)
        assert (method, owner, where, actor) == ("ended", OWNER, one, ACTOR)
        assert isinstance(failure, ra.MeshFailure)
        assert failure.kind == "init"
        assert "not begun: " in failure.cause
        assert "bytes of shared memory have been in use for 0.25 s" in failure.cause
