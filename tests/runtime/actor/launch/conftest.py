"""A host for the tests: a launcher whose exits are kept, and processes that tell through pipes."""

import itertools
import json
import os
import queue
import select
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runtime.actor.launch.launcher import Exit, Launcher, Spawn

SECONDS = 30.0  # more than any wait takes on a busy machine


@dataclass
class Node:
    """A process that a test asked for: its number and the reading ends of its pipes."""

    number: int
    told: int
    output: int

    def hears(self) -> dict[str, Any]:
        """Return what the main function has told."""
        try:
            return dict(json.loads(read_line(self.told)))
        except EOFError as error:
            raise EOFError(self.printed()) from error

    def printed(self) -> str:
        """Return all that the process and its descendants have printed, when they have ended."""
        text = b""
        while select.select([self.output], [], [], SECONDS)[0]:
            if not (data := os.read(self.output, 65536)):
                return text.decode()
            text += data
        raise TimeoutError(f"the output has no end: {text!r}")


def read_line(fd: int) -> bytes:
    """Return one line of a pipe."""
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([fd], [], [], SECONDS)[0]:
            raise TimeoutError(f"no line came: {line!r}")
        data = os.read(fd, 1)
        if not data:
            raise EOFError(f"the writer has ended: {line!r}")
        line += data
    return line


class Host:
    """A launcher, the exits it told, and everything that is to be closed."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - of Launcher
        self.exits: queue.Queue[Exit] = queue.Queue()
        self.launcher = Launcher(on_exit=self.exits.put, **options)
        self._numbers = itertools.count(1)
        self._opened: list[int] = []
        self._seen: dict[int, Exit] = {}

    def start(self, main: str, argument: bytes = b"", **options: Any) -> Node:  # noqa: ANN401 - of Spawn
        """Start a process whose standard output and error are one pipe."""
        told, tell = os.pipe()
        output, out = os.pipe()
        self._opened += [told, output]
        number = next(self._numbers)
        named = {"told": tell, **options.pop("fds", {})}
        if ":" not in main:
            main = f"launch_mains:{main}"
        self.launcher.spawn(
            Spawn(number, f"node-{number}", main, argument, out, out, named, **options)
        )
        os.close(tell)
        os.close(out)
        return Node(number, told, output)

    def exit_of(self, node: Node) -> Exit:
        """Wait for the end of a process."""
        end = time.monotonic() + SECONDS
        while node.number not in self._seen:
            each = self.exits.get(timeout=max(0.0, end - time.monotonic()))
            assert each.node not in self._seen, f"told twice: {each}"
            self._seen[each.node] = each
        return self._seen[node.number]

    def end(self) -> None:
        """Close everything."""
        self.launcher.close(0)
        for fd in self._opened:
            os.close(fd)


@pytest.fixture
def new_host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Host]]:
    """Give a function that makes a host."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    hosts: list[Host] = []

    def make(**options: Any) -> Host:  # noqa: ANN401 - of Launcher
        hosts.append(Host(**options))
        return hosts[-1]

    yield make
    for each in hosts:
        each.end()


@pytest.fixture
def host(new_host: Callable[..., Host]) -> Host:
    """Give a host that loads nothing before it forks."""
    return new_host()


def gone(pid: int) -> bool:
    """Say whether a process has ended and was reaped, or waits for init to do that."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return (state, parent) == ("Z", "1")


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Give a function that waits for a condition that no event announces."""

    def wait(condition: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < end, "the condition did not come true"
            select.select([], [], [], 0.005)

    return wait


@pytest.fixture
def all_gone(until: Callable[[Callable[[], bool]], None]) -> Callable[[list[int]], None]:
    """Give a function that waits until none of some processes is left, not even as a zombie."""
    return lambda pids: until(lambda: all(gone(pid) for pid in pids))
