"""A consumer that is slow holds the producer back: no memory, no failure, and it can be stopped."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import time
from typing import Any

from tests.runtime.field.rig import Actor, MailboxFull, endpoint


class Slow(Actor):
    """Takes ten messages in a second."""

    def __init__(self) -> None:
        self.seen = 0

    @endpoint
    def eats(self, _: bytes) -> None:
        time.sleep(0.1)
        self.seen += 1


def test_producer_when_the_consumer_is_slow(rt: Any) -> None:
    with rt.mesh(1, mailbox_capacity=1000) as mesh:
        one = mesh.spawn(Slow)[0]
        pids = [os.getpid(), one.pid]
        before = sum(map(rt.os.rss, pids))
        sent, refusals, end = 0, set[int](), time.monotonic() + 10
        while time.monotonic() < end:
            try:
                one.post("eats", b"x" * 4096)
            except MailboxFull as error:
                refusals.add(error.capacity)
                time.sleep(0.01)
            else:
                sent += 1
        assert refusals <= {1000}
        assert 1000 <= sent <= 1150  # its room, and what ten seconds drain
        assert sum(map(rt.os.rss, pids)) - before < 64 << 20
        assert rt.events() == []
        start = time.monotonic()
        mesh.stop(timeout=5)
        assert time.monotonic() - start < 7
