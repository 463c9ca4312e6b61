"""What a gateway knows of other hosts, in whatever order it hears of them."""

from dataclasses import dataclass
from typing import Any

import pytest

from runtime.actor.agent import Agent
from runtime.actor.errors import MeshFailure
from runtime.actor.hosts.neighbours import Neighbour, Neighbours
from runtime.actor.local import Local
from runtime.actor.nodes import new_gateway
from runtime.actor.replies import failure_bytes, failure_from


@dataclass
class Said:
    """A message of the core about another host."""

    source_node: int
    data: bytes = b""


class Knows:
    """A gateway that knows its neighbours, and takes note of those that have ended."""

    def __init__(self) -> None:
        self.local = Local(new_gateway(), "alone")
        self.agent = Agent(self.local, lambda _instance, _spec: None)
        for method in ("!lost", "!silent", "!unrouted"):
            self.agent.handlers[method] = lambda said: pytest.fail(f"{said} is of another host")
        self.ended: list[str] = []
        self.neighbours = Neighbours(self.agent, self)  # type: ignore[arg-type]
        self.neighbours.lost = lambda host, failure: self.ended.append(f"{host}: {failure.cause}")

    def orphan(self, node: int) -> None:
        """End nothing: it has no processes."""

    def hear(self, method: str, said: Any) -> None:  # noqa: ANN401 - like a message
        """Serve a message of the core."""
        self.agent.handlers[method](said)


def test_neighbour_when_it_is_lost_before_it_is_known() -> None:
    knows, other = Knows(), new_gateway()
    knows.hear("!lost", Said(other, b"the peer closed the connection"))
    assert knows.ended == []
    knows.neighbours.learn(Neighbour(other, "tcp://there:1", "there"))
    cause = "host there at tcp://there:1 is out of reach: the peer closed the connection"
    assert knows.ended == [f"there at tcp://there:1: {cause}"]
    assert other not in knows.neighbours.known
    words = knows.local.node.obituary_of(other)
    assert words is not None
    assert failure_from(words).cause == cause


def test_neighbour_when_it_has_come_back_before_it_is_known() -> None:
    knows, other = Knows(), new_gateway()
    knows.hear("!lost", Said(other, b"the peer closed the connection"))
    knows.neighbours.arrived(other)
    knows.neighbours.learn(Neighbour(other, "tcp://there:1", "there"))
    assert other in knows.neighbours.known
    assert knows.ended == []


def test_neighbour_when_the_root_has_buried_it() -> None:
    knows, other = Knows(), new_gateway()
    host = Neighbour(other, "tcp://there:1", "there")
    knows.neighbours.learn(host)
    failure = MeshFailure(event_id="1", kind="heartbeat", cause="no sign of life")
    knows.local.node.bury_host(other, failure_bytes(failure))
    knows.hear("!obituary", Said(other, failure_bytes(failure)))
    assert knows.ended == ["there at tcp://there:1: no sign of life"]
    knows.neighbours.learn(host)  # an older word of the client's
    assert other not in knows.neighbours.known
