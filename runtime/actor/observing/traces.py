"""One trace of all hosts: each hands the client what its processes have written, at its end."""

from __future__ import annotations

import itertools
import os
import time

from runtime import config
from runtime.actor import replies, sending
from runtime.actor.replies import problem_of, value_of
from runtime.telemetry import state
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from runtime.actor.agent import Agent
    from runtime.core import Message, Node


def collect(agent: Agent) -> None:
    """Have the client take the parts of its hosts into its trace, if it has one."""
    numbers = itertools.count(1)
    node = agent.local.node

    def take(message: Message) -> None:
        from runtime.telemetry import trace_parts  # for programs with a trace and hosts

        what, data = loads(message.data, message.buffers() if message.buffer_count else ())
        trace = state.trace
        answer: Any = None
        if trace is not None and what == "clock":
            answer = time.monotonic_ns() / 1000, trace_parts.boot_id()
        elif trace is not None and what == "number":
            answer = next(numbers)
        elif trace is not None:
            trace.take(data)
            answer = True
        replies.answer(node, message, answer)

    agent.handlers["trace"] = take


def hand_over(node: Node, client: int, path: str) -> None:
    """Bring a part of this host to its client, and remove it; what is not taken stays here."""
    import logging

    from runtime.telemetry import trace_parts

    def ask(what: str, data: bytes = b"") -> Any:  # noqa: ANN401 - what the client says
        sent, buffers = dumps((what, data))
        patience = config.get("stop_timeout")
        call = sending.ask(node, [client], "trace", sent, buffers, patience)
        if not call.wait(patience):
            raise TimeoutError(f"the client has not answered within {patience:g} s")
        problem = call.problem()
        if problem is not None:
            raise problem_of(problem, "trace")
        answer = value_of(call.take()[0])
        if answer is None:
            raise LookupError("the client writes no trace")
        return answer

    try:
        number, ahead = ask("number"), trace_parts.shift(lambda: ask("clock"))
        for chunk in trace_parts.translated(path, number, ahead):
            ask("part", chunk)
        os.unlink(path)  # noqa: PTH108
    except Exception as error:  # noqa: BLE001 - the host serves on, whatever the client does
        log = logging.getLogger(__name__)
        log.warning("the trace of this host's processes stays in %s: %s", path, error)
