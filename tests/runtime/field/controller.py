"""A bare controller at a port: a program that serves there until it is ended."""

import time
from typing import Self

from runtime import config
from runtime.actor import AttachError, attach_to_workers
from tests.runtime.actor.host_processes import TRUST
from tests.runtime.field.scripts import Script

LONG = 60.0
_SOURCE = """
from runtime.actor import run_worker_loop_forever
run_worker_loop_forever(ca={ca!r}, address="tcp://127.0.0.1:{port}")
"""
_present: list["Controller"] = []


class Controller:
    """A process; it may take a while until it is up, or never be."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._script = Script(_SOURCE.format(ca=TRUST, port=port))
        _present.append(self)

    @property
    def pid(self) -> int:
        """The process."""
        return self._script.pid

    @property
    def out(self) -> str:
        """What it has said so far."""
        return self._script.out

    def up_within(self, seconds: float) -> bool:
        """Tell whether it starts processes for somebody within some seconds."""
        end = time.monotonic() + seconds
        with config.configured(spawn_timeout=max(0.1, seconds)):
            hosts = attach_to_workers(ca=TRUST, workers=[f"tcp://127.0.0.1:{self.port}"])
            try:
                hosts.initialized.get(LONG)
            except AttachError:
                return False
            hosts.spawn_procs().initialized.get(LONG)
            hosts.stop().get(LONG)
        return time.monotonic() <= end

    def close(self) -> None:
        """End it."""
        if self in _present:
            _present.remove(self)
            self._script.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def close() -> None:
    """End what a case has left."""
    while _present:
        _present[-1].close()
