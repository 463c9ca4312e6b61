"""What a process tells about itself when it is asked, and about endpoints that are stuck.

The agent answers: on its own thread, so an actor that is busy in Python holds nothing up.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from runtime import config
from runtime.actor import replies, sending
from runtime.actor._context import STANDS
from runtime.actor.observing.stacks import stack_of
from runtime.telemetry import state
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from runtime.actor.actors import Runner
    from runtime.actor.agent import Agent
    from runtime.actor.observing.stuck import Report
    from runtime.core import Message

#: Has a process write the stacks of its threads, even while its Python cannot answer.
DUMP = signal.SIGRTMIN + 9
_LOOKS = 4  # looks at what runs, in the time after which it is stuck
_SHORTEST = 0.05


def observe(agent: Agent) -> Observer:
    """Have an agent answer those who look at its process."""
    return Observer(agent)


class Observer:
    """What an agent can say about its process."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._local = agent.local
        self._told: dict[tuple[int, int], None] = {}  # spans that were reported
        self._stood: dict[tuple[int, int], int] = {}  # when spans were seen at a breakpoint
        agent.handlers |= {"inspect": self._inspect, "log_options": self._log_level}
        self._watch()

    def snapshot(self) -> dict[str, Any]:
        """Return what this process and its actors do now."""
        now = time.monotonic_ns()
        return {
            "pid": os.getpid(),
            "actors": [_actor(runner, now) for runner in list(self._agent.actors.values())],
            "counts": _counts(),
            "failures": state.failures_told(),
        }

    def answer(self, message: Message, value: object) -> None:
        """Reply to whoever asked."""
        replies.answer(self._local.node, message, value)

    def _inspect(self, message: Message) -> None:
        self.answer(message, self.snapshot())

    def _log_level(self, message: Message) -> None:
        import logging

        level = loads(message.data)[3]
        logging.basicConfig(level=level)  # does nothing where the program has handlers
        logging.getLogger().setLevel(level)
        self.answer(message, None)

    # Endpoints that are stuck.

    def _watch(self) -> None:
        limit = config.get("stuck_after")
        if limit:
            self._agent.after(max(_SHORTEST, limit / _LOOKS), self._look)

    def _look(self) -> None:
        limit = config.get("stuck_after") or float("inf")
        now = time.monotonic_ns()
        running: dict[tuple[int, int], None] = {}
        for runner in list(self._agent.actors.values()):
            for key, span in list(runner.watch.running.items()):
                running[key, span[1]] = None
                if _stands(runner):  # a person looks at it, and takes time for that
                    self._stood[key, span[1]] = now
                seconds = (now - self._stood.get((key, span[1]), span[1])) / 1e9
                if seconds > limit and (key, span[1]) not in self._told:
                    self._told[key, span[1]] = None
                    self._report(runner, span, seconds)
        self._told = {key: None for key in self._told if key in running}
        self._stood = {key: at for key, at in self._stood.items() if key in running}
        self._watch()

    def _report(self, runner: Runner, span: tuple[str, int, Any, Any], seconds: float) -> None:
        here = self._local
        stack = stack_of(runner.thread_id, span[3]).rstrip()
        process = f"{here.name} (pid {os.getpid()} on {here.host})"
        watch = runner.watch
        report: Report = (
            *(watch.name, span[0], stack),
            *(watch.path, process, runner.spec.rank, seconds),
        )
        data, _ = dumps(report)
        sending.tell(here.node, [here.root], "report", data)


def _stands(runner: Runner) -> bool:
    """Tell whether an actor is at a breakpoint."""
    instance = getattr(runner, "instance", None)
    return instance is not None and STANDS in instance.own


def _actor(runner: Runner, now: int) -> dict[str, Any]:
    watch = runner.watch
    instance = getattr(runner, "instance", None)
    return {
        "name": watch.name,
        "path": watch.path,
        "class": instance.class_name if instance else "",
        "system": bool(instance and instance.system),
        "mailbox": len(runner.mailbox),
        "handled": watch.handled,
        "failed": watch.failed,
        "cancelled": watch.cancelled,
        "at_breakpoint": _stands(runner),
        "running": [
            {"endpoint": endpoint, "seconds": (now - began) / 1e9}
            for endpoint, began, *_ in list(watch.running.values())
        ],
    }


def _counts() -> dict[str, Any]:
    return {
        "messages": state.messages,
        "message_bytes": state.message_bytes,
        "replies": state.replies,
        "reply_bytes": state.reply_bytes,
        "restarts": state.restarts,
        "pending": state.pending(),
        "failures": dict(state.failures),
        "endpoints": {
            name: (each.counts, each.total) for name, each in list(state.endpoints.items())
        },
        "calls": {name: (each.counts, each.total) for name, each in list(state.calls.items())},
        "meters": _meters(),
    }


def _meters() -> list[Any]:
    """Return the program's own numbers, if it has a meter."""
    meter = sys.modules.get("runtime.telemetry.meter")
    return meter.snapshot() if meter is not None else []
