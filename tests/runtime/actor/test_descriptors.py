"""Processes that have ended leave no descriptor of theirs in the program."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, endpoint

SECONDS = 30.0


class Speaker(Actor):
    """Says what it is told."""

    @endpoint
    def say(self, text: str) -> None:
        """Print."""
        sys.stdout.write(f"{text}\n")


def _pipes() -> int:
    found = 0
    for link in Path("/proc/self/fd").iterdir():
        try:
            found += str(link.readlink()).startswith("pipe:")
        except FileNotFoundError:
            continue  # it was the folder's own
    return found


def _comes(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + 5.0  # before any timer that still knows the processes
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


@pytest.mark.usefixtures("quiet")
def test_pipes_when_the_processes_have_ended() -> None:
    ra.this_host().spawn_procs().stop().get(SECONDS)
    before = _pipes()
    for _ in range(3):
        procs = ra.this_host().spawn_procs({"r": 2})
        speaker: Any = procs.spawn("speaker", Speaker)
        speaker.say.call("a line").get(SECONDS)
        procs.stop().get(SECONDS)
    assert _comes(lambda: _pipes() <= before)
