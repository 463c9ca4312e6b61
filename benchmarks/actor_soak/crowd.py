"""Keep every slot of the mesh alive: the processes on this host, and those behind the link."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from .host import address
from .link import Link
from .talker import Talker, api

PATIENCE = 30.0


@dataclass(frozen=True)
class Life:
    """An actor in a slot, from its start to its death."""

    slot: int
    name: str
    actor: Any
    pid: int


class SecondHost:
    """Another host on this machine, which is reached through a link that can be cut."""

    def __init__(self) -> None:
        port = _free_port()
        self.link = Link(port)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "actor_soak.host", str(self.link.port), str(port)],
            stdin=subprocess.DEVNULL,
        )
        self._mesh: Any = None

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def mesh(self) -> Any:  # noqa: ANN401 # HostMesh of either package
        """Return the mesh of the host, attached anew if it has been lost."""
        if self._mesh is None:
            self._mesh = api.attach_to_workers(
                ca="trust_all_connections", workers=[address(self.link.port)]
            )
        return self._mesh

    def lost(self) -> None:
        """Forget a mesh that the link's failure has ended."""
        self._mesh = None

    def close(self) -> None:
        """End the host, as whoever started it does."""
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.link.__exit__(None, None, None)


class Crowd:
    """The mesh: `local` slots on this host, and `remote` ones on the second host."""

    def __init__(self, local: int, remote: int) -> None:
        self.local = tuple(range(local))
        self.remote = tuple(range(local, local + remote))
        self.second = SecondHost() if remote else None
        self.lives: dict[int, Life] = {}
        self._born = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.second is not None:
            self.second.close()

    def grandchildren(self) -> int:
        """Return how many of the living have a child process of their own."""
        return sum(_has_grandchild(slot) for slot in self.lives)

    def bury(self, slots: Iterable[int]) -> None:
        """Count on nobody in these slots any more."""
        for slot in slots:
            del self.lives[slot]

    def fill(self, slots: Iterable[int]) -> None:
        """Put a life into each of these empty slots; those of one host start together."""
        wanted = set(slots)
        self._spawn(sorted(wanted.intersection(self.local)), remote=False)
        self._spawn(sorted(wanted.intersection(self.remote)), remote=True)

    def _spawn(self, slots: list[int], *, remote: bool) -> None:
        if not slots:
            return
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                born = self._born_on(self._host(remote=remote), slots)
            except Exception:
                # A host that was cut off needs a moment to be ready for a new client.
                if self.second is None or not remote or time.monotonic() > deadline:
                    raise
                self.second.lost()
                time.sleep(0.1)
            else:
                self.lives |= {life.slot: life for life in born}
                return

    def _host(self, *, remote: bool) -> Any:  # noqa: ANN401
        if not remote:
            return api.this_host()
        if self.second is None:
            raise RuntimeError("there is no second host in this run")
        return self.second.mesh()

    def _born_on(self, host: Any, slots: list[int]) -> list[Life]:  # noqa: ANN401
        procs = host.spawn_procs(per_host={"procs": len(slots)})
        lives = []
        for rank, slot in enumerate(slots):
            self._born += 1
            name = f"{slot}.{self._born}"
            one = procs.slice(procs=rank)
            actor = one.spawn(f"talker{self._born}", Talker, name, grandchild=_has_grandchild(slot))
            lives.append((slot, name, actor))
        # All are on their way; now each is waited for.
        return [
            Life(slot, name, actor, actor.pid.call_one().get(timeout=PATIENCE))
            for slot, name, actor in lives
        ]


def _has_grandchild(slot: int) -> bool:
    return slot in {0, 1}


def _free_port() -> int:
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


def sleepers(pids: Iterable[int]) -> list[int]:
    """Return those of the processes that run `sleep`, as the grandchildren do."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm") as comm:  # noqa: PTH123
            if comm.read().strip() == "sleep" and pid != os.getpid():
                found.append(pid)
    return found
