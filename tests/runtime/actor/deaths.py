"""Actors that die, and what a test hears of it."""

# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import sys
import time
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, endpoint

SECONDS = 30.0
SOON = 5.0  # far less than any timeout that could hide a death


class Worker(Actor):
    """Dies in every way."""

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    @endpoint
    def exits(self, status: int) -> None:
        sys.stdout.write("last words\n")
        os._exit(status)

    @endpoint
    def leaves(self) -> None:
        raise SystemExit(5)

    @endpoint
    def raises(self) -> None:
        raise ValueError("nobody waits")

    @endpoint
    def aborts(self) -> None:
        ra.context().actor_instance.abort("enough")

    @endpoint
    def quits(self) -> None:
        ra.context().actor_instance.stop("done")

    @endpoint(explicit_response_port=True)
    def explicit(self, port: Port[int]) -> None:
        del port
        raise ValueError("with a port")

    @endpoint
    def waits(self, port: Port[Any]) -> None:
        mine, receiver = Channel.open()
        port.send(mine)
        receiver.recv().get(SECONDS)


def died(call: ra.Future[Any]) -> ra.SupervisionError:
    """Return what a call ends with, which has to be a death, and soon."""
    before = time.monotonic()
    with pytest.raises(ra.SupervisionError) as caught:
        call.get(SECONDS)
    assert time.monotonic() - before < SOON
    return caught.value


class Told:
    """What an owner sends to the test."""

    def __init__(self) -> None:
        self.port, self._receiver = Channel.open()

    def next(self) -> Any:
        return self._receiver.recv().get(SECONDS)

    def nothing(self) -> bool:
        try:
            self._receiver.recv().get(0.2)
        except TimeoutError:
            return True
        return False
