"""A host's side of copying workspaces: takes listings and contents, on threads of its own."""

from __future__ import annotations

import os
import threading

from runtime.actor.replies import answer
from runtime.transport.pickling import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from runtime.actor.agent import Agent
    from runtime.actor.workspaces.placing import Placing
    from runtime.core import Message

_PATIENCE = 1.0  # seconds that the end of a host waits for what is removed


class _Copy:
    """One copy on its way: `lock` is held by who works at it, `users` wait for that or work."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.placing: Placing | None = None


class Workspaces:
    """One per gateway. Answers are (True, a result) or (False, why there is none).

    Files are read and written under the lock of one copy, never under the one of all.
    """

    def __init__(self, agent: Agent) -> None:
        self._node = agent.local.node
        self._copies: dict[str, _Copy] = {}
        self._changed = threading.Condition()
        self._closed = False
        agent.handlers["workspace"] = self._asked

    def close(self) -> None:
        """Take no more; what has not come to its place is removed, by who works at it if any do."""
        with self._changed:
            self._closed = True
            for label, copy in list(self._copies.items()):
                if not copy.users:
                    self._forget(label, copy)
            self._changed.wait_for(lambda: not self._copies, _PATIENCE)

    def _asked(self, message: Message) -> None:
        # Hashing takes its time, and the agent has none.
        threading.Thread(target=self._serve, args=(message,), name="workspace", daemon=True).start()

    def _serve(self, message: Message) -> None:
        try:
            buffers = message.buffers() if message.buffer_count else ()
            found = True, self._work(*loads(message.data, buffers))
        except Exception as error:  # noqa: BLE001 - whoever copies is told
            found = False, str(error)
        answer(self._node, message, found)

    def _work(self, label: str, step: str, given: tuple[Any, ...]) -> Any:  # noqa: ANN401
        with self._changed:
            self._go_on()
            copy = self._copies.setdefault(label, _Copy())
            copy.users += 1
        try:
            with copy.lock:
                return self._do(copy, step, given)
        finally:
            with self._changed:
                copy.users -= 1
                if not copy.users and (self._closed or copy.placing is None):
                    self._forget(label, copy)

    def _do(self, copy: _Copy, step: str, given: tuple[Any, ...]) -> Any:  # noqa: ANN401
        self._go_on()
        if step == "list":
            return self._begin(copy, *given)
        placing = copy.placing
        if placing is None and step != "drop":
            raise LookupError("nothing of the workspace is there; copy it again")
        if placing is None:
            return None
        if step == "content":
            digest, data, last = given
            return placing.receive(digest, data, last=last)
        if step == "prepare":
            return placing.prepare()
        copy.placing = None
        try:
            if step == "place":
                placing.place()
        finally:
            placing.close()
        return None

    def _begin(self, copy: _Copy, below: str, entries: list[Any]) -> list[str]:
        from runtime.actor.workspaces.placing import Placing

        root = os.environ.get("WORKSPACE_DIR")
        if not root:
            raise LookupError(
                "WORKSPACE_DIR is not set there; set it, where the host is started, to the "
                "directory that workspaces go below"
            )
        copy.placing = Placing(root, below, entries, self._go_on)
        return copy.placing.missing()

    def _go_on(self) -> None:
        if self._closed:
            raise RuntimeError("the host is let go")

    def _forget(self, label: str, copy: _Copy) -> None:
        """Remove what is left of a copy at which nobody works. Under the lock of all."""
        if copy.placing is not None:
            copy.placing.close()
        del self._copies[label]
        self._changed.notify_all()
