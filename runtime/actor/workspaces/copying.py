"""The client's side of copying workspaces: each host gets what it lacks, then all place it."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from contextlib import suppress

from runtime.actor import sending
from runtime.actor.latch import Latch
from runtime.actor.local import local
from runtime.actor.replies import problem_of, value_of
from runtime.actor.workspaces.listing import entries_of
from runtime.actor.workspaces.workspace import WorkspaceError, directories
from runtime.transport.pickling import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from typing import Any

    from runtime import core
    from runtime.actor.future import Future

_CHUNK = 4 << 20


def copy(
    workspace: object, gateways: Callable[[], Sequence[int]], *, conda: bool, auto_reload: bool
) -> Future[None]:
    """Copy a workspace to hosts; the future is there when every host has all of it."""
    if conda:
        raise NotImplementedError(
            "conda environments are not copied: install the environment on the hosts, or give its "
            "directory as part of the workspace"
        )
    if auto_reload:
        raise NotImplementedError(
            "modules that processes have imported are not reloaded: spawn processes after "
            "sync_workspace, they import what is there then"
        )
    dirs = directories(workspace)
    node = local().node
    done = Latch()

    def run() -> None:
        try:
            hosts = list(gateways())
            _copy_all([_Copy(node, hosts, path, below) for path, below in dirs.items()])
        except Exception as error:  # noqa: BLE001 - whoever holds the future is told
            done.open(error)
        else:
            done.open()

    threading.Thread(target=run, name="workspace", daemon=True).start()
    return done.future()


def _copy_all(copies: Sequence[_Copy]) -> None:
    """Place directories once every host has all of all of them, ready beside their places.

    Until then no host has changed. Then they are placed one after the other, each by all hosts at
    a time: a host that is lost meanwhile keeps what it has, and others have the new ones.
    """
    try:
        for one in copies:
            one.prepare()
        for one in copies:
            one.place()
    except BaseException:
        for one in copies:
            one.drop()
        raise


class _Copy:
    """One directory on its way to all hosts."""

    def __init__(self, node: core.Node, hosts: list[int], path: Path, below: str) -> None:
        self._node = node
        self._hosts = hosts
        self._from = path
        self._below = below
        self._label = os.urandom(8).hex()

    def prepare(self) -> None:
        """Have all hosts have it beside its place."""
        entries = entries_of(str(self._from))
        answers = self._ask(self._hosts, "list", (self._below, entries))
        lacking: dict[str, list[int]] = defaultdict(list)
        for host, missing in zip(self._hosts, answers, strict=True):
            for digest in missing:
                lacking[digest].append(host)
        where = {value: name for name, kind, _, value in entries if kind == "f"}
        for digest, hosts in lacking.items():
            self._send(self._from / where[digest], digest, hosts)
        self._ask(self._hosts, "prepare", ())

    def place(self) -> None:
        """Have all hosts put it into its place."""
        self._ask(self._hosts, "place", ())

    def drop(self) -> None:
        """Have hosts remove what is not in its place."""
        with suppress(Exception):
            self._ask(self._hosts, "drop", ())

    def _send(self, path: Path, digest: str, hosts: list[int]) -> None:
        with path.open("rb") as file:
            data = file.read(_CHUNK)
            while True:
                after = file.read(_CHUNK)
                self._ask(hosts, "content", (digest, data, not after))
                if not after:
                    return
                data = after

    def _ask(self, hosts: list[int], step: str, given: tuple[Any, ...]) -> Iterable[Any]:
        data, buffers = dumps((self._label, step, given))
        call = sending.ask(self._node, hosts, "workspace", data, buffers)
        call.wait(None)  # a host may hash for long; one that dies is an answer
        problem = call.problem()
        if problem is not None:
            raise problem_of(problem, "sync_workspace")
        found = [value_of(message) for message in call.take()]
        whys = [
            f"host {number}: {answer}" for number, (fine, answer) in enumerate(found) if not fine
        ]
        if whys:
            raise WorkspaceError("the workspace was not copied: " + "; ".join(whys))
        return [answer for _, answer in found]
