"""What a host tells about its processes: output options, stuck processes, and who is there."""

from __future__ import annotations

import time

from runtime import config
from runtime.actor import sending
from runtime.actor.observing.process import DUMP
from runtime.actor.observing.stuck import merged
from runtime.actor.replies import value_of
from runtime.telemetry import processes
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from runtime import core
    from runtime.actor.gateway import Gateway, Process
    from runtime.actor.observing.process import Observer
    from runtime.actor.observing.stuck import Report
    from runtime.core import Message

_LOOKS = 4
_SHORTEST = 0.05


class HostObserver:
    """What the gateway of a host can say about it. `client` is the node of the program's client."""

    def __init__(self, gateway: Gateway, observer: Observer, client: int) -> None:
        self.gateway = gateway
        self.observer = observer
        self.client = client
        self._agent = gateway.agent
        self._local = self._agent.local
        self._asked: dict[int, tuple[core.Call, float, bool]] = {}
        self._stuck: list[Report] = []  # of one look, which every process takes at its own time
        self._agent.handlers |= {
            "report": self._report,
            "log_options": self._log_options,
            "output": self._output,
            "host": self._host,
        }
        if client != self._local.node.id:
            gateway.output.relay = self._relay
        self._watch()

    def describe(self) -> dict[str, Any]:
        """Return this host and its processes, as the kernel sees them. From any thread."""
        here = self._local
        found = list(self.gateway.processes.values())
        own = {"name": here.name, "node": here.node.id, "state": "running"}
        rows = [own | _kernel(here.process)]
        for process in found:
            row = {"name": process.name, "node": process.node, "state": _state(process)}
            rows.append(row | _kernel(process.pid))
        return {"host": here.host, "node": here.node.id, "processes": rows}

    def _host(self, message: Message) -> None:
        self.observer.answer(message, self.describe())

    def _log_options(self, message: Message) -> None:
        nodes, forwarded, window, _ = loads(message.data)
        for node in nodes:
            process = self.gateway.processes.get(node)
            if process is not None:
                process.output.set_options(forwarded=forwarded, window=window)
        self.observer.answer(message, None)

    def _output(self, message: Message) -> None:
        """Bring the output of another host to the client's streams."""
        rows, flush = loads(message.data)
        self.gateway.output.accept(rows)
        if flush:
            self.gateway.output.flush()

    def _relay(self, rows: list[Any], flush: bool) -> None:  # noqa: FBT001 - of the forwarder
        data, _ = dumps((rows, flush))
        sending.tell(self._local.node, [self.client], "output", data)

    def _report(self, message: Message) -> None:
        """Take that an endpoint is stuck, and say so together with what else is heard soon."""
        if not self._stuck:
            limit = config.get("stuck_after")
            # Looks of two processes are up to one period apart, and calls begin a little so.
            self._agent.after(max(_SHORTEST, 2 * limit / _LOOKS), self.tell_stuck)
        self._stuck.append(loads(message.data))

    def tell_stuck(self) -> None:
        """Say which endpoints are stuck. From any thread."""
        reports, self._stuck = self._stuck, []
        for text in merged(reports):
            self.tell(text)

    def tell(self, text: str) -> None:
        """Bring words of the runtime's own to the client's log."""
        self.gateway.output.accept([(1, 0.0, 1, "runtime", "", line) for line in text.splitlines()])

    # Processes whose Python does not answer.

    def _watch(self) -> None:
        limit = config.get("stuck_after")
        if limit:
            self._agent.after(max(_SHORTEST, limit / _LOOKS), self._look)

    def _look(self) -> None:
        limit = config.get("stuck_after") or float("inf")
        now = time.monotonic()
        live = {node: each for node, each in list(self.gateway.processes.items()) if each.pid}
        self._asked = {node: asked for node, asked in self._asked.items() if node in live}
        for node, process in live.items():
            call, since, told = self._asked.get(node, (None, now, False))
            if call is None or call.settled:
                self._asked[node] = (self._ask(node, "ping"), now, False)
            elif now - since > limit and not told and not process.stopping:
                self._asked[node] = (call, since, True)
                self._tell_of(process, now - since)
        self._watch()

    def _tell_of(self, process: Process, seconds: float) -> None:
        dumped = process.pid is not None and processes.catches(process.pid, DUMP)
        how = (
            "the stacks of its threads follow in its output"
            if dumped
            else "and it has no handler that would show its stacks"
        )
        self.tell(
            f"{process.name} (pid {process.pid} on {self._local.host}) lives, but its Python has "
            f"not answered for {seconds:.1f} s: something holds the interpreter's lock; {how}"
        )
        if dumped:
            self.gateway.signal(process.node, DUMP)

    def _ask(self, node: int, method: str) -> core.Call:
        return sending.ask(self._local.node, [node], method, patience=0.0)

    # The whole program, for those who look at it. From any thread.

    def gather(self, timeout: float) -> list[dict[str, Any]]:
        """Return every host with its processes and their actors, as far as they answer in time."""
        deadline = time.monotonic() + timeout
        own = self._local.node.id
        others = {node: self._ask(node, "host") for node in self._local.hosts - {own}}
        hosts = [self.describe()]
        for node, call in others.items():
            told = _value(call, deadline)
            hosts.append(told or {"host": "", "node": node, "processes": [], "answered": False})
        rows = [row for host in hosts for row in host["processes"]]
        self._ask_all(rows, deadline)
        return hosts

    def _ask_all(self, rows: Iterable[dict[str, Any]], deadline: float) -> None:
        asked = []
        for row in rows:
            row["answered"] = False
            if row["node"] == self._local.node.id:
                row.update(self.observer.snapshot(), answered=True)
            elif row["state"] != "starting":
                asked.append((row, self._ask(row["node"], "inspect")))
        for row, call in asked:
            told = _value(call, deadline)
            if told is not None:
                row.update(told, answered=True)


def _value(call: core.Call, deadline: float) -> Any:  # noqa: ANN401 - what the other process tells
    if not call.wait(max(0.0, deadline - time.monotonic())) or call.problem() is not None:
        return None
    return value_of(call.take()[0])


def _state(process: Process) -> str:
    if process.stopping:
        return "stopping"
    return "running" if process.pid else "starting"


def _kernel(pid: int | None) -> dict[str, Any]:
    if pid is None:
        return {"pid": None, "rss": None, "uptime": None}
    return {"pid": pid, "rss": processes.rss(pid), "uptime": processes.uptime(pid)}
