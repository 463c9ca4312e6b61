"""A host's side of copying workspaces: takes listings and contents, on threads of its own."""

from __future__ import annotations

import os
import threading

from runtime.actor.replies import OK
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from runtime.actor.agent import Agent
    from runtime.actor.workspaces.placing import Placing
    from runtime.core import Message


class Workspaces:
    """One per gateway. Answers are (True, a result) or (False, why there is none)."""

    def __init__(self, agent: Agent) -> None:
        self._node = agent.local.node
        self._placings: dict[str, Placing] = {}
        self._lock = threading.Lock()
        self._closed = False
        agent.handlers["workspace"] = self._asked

    def close(self) -> None:
        """Take no more; what has not come to its place is removed."""
        with self._lock:
            self._closed = True
            while self._placings:
                self._placings.popitem()[1].close()

    def _asked(self, message: Message) -> None:
        # Hashing takes its time, and the agent has none.
        threading.Thread(target=self._serve, args=(message,), name="workspace", daemon=True).start()

    def _serve(self, message: Message) -> None:
        try:
            buffers = message.buffers() if message.buffer_count else ()
            label, step, given = loads(message.data, buffers)
            with self._lock:
                found = True, self._do(label, step, given)
        except Exception as error:  # noqa: BLE001 - whoever copies is told
            found = False, str(error)
        data, _ = dumps((found,))
        self._node.reply(message.source_node, message.request, message.index, OK, data, [])

    def _do(self, label: str, step: str, given: tuple[Any, ...]) -> Any:  # noqa: ANN401
        if self._closed:
            raise ConnectionAbortedError("the host is let go")
        if step == "list":
            return self._begin(label, *given)
        if step == "content":
            digest, data, last = given
            return self._placings[label].receive(digest, data, last=last)
        placing = self._placings.pop(label, None)
        try:
            if placing is not None and step == "place":
                placing.place()
        finally:
            if placing is not None:
                placing.close()
        return None

    def _begin(self, label: str, below: str, entries: list[Any]) -> list[str]:
        from runtime.actor.workspaces.placing import Placing

        root = os.environ.get("WORKSPACE_DIR")
        if not root:
            raise LookupError(
                "WORKSPACE_DIR is not set there; set it, where the host is started, to the "
                "directory that workspaces go below"
            )
        placing = self._placings[label] = Placing(root, below, entries)
        return placing.missing()
