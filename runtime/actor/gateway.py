"""The gateway of a host: starts its processes, says how they ended, and forwards their output."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from runtime import config, core
from runtime.actor import binding, sending
from runtime.actor.errors import MeshFailure
from runtime.actor.launch import early
from runtime.actor.launch.process import Exit, Spawn
from runtime.actor.logs import output
from runtime.actor.nodes import gateway_of
from runtime.actor.passing_on import pass_on
from runtime.actor.patience import until_killed, until_told
from runtime.actor.replies import failure_bytes
from runtime.actor.shapes.shape import Extent, Point
from runtime.actor.telling_owners import tell_started
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from runtime.actor.agent import Agent
    from runtime.core import Message

_BACKLOG = 1024


@dataclass(frozen=True)
class Order:
    """Processes that somebody wants: one for each node, ranks and places in a mesh of theirs."""

    mesh_name: str
    nodes: tuple[int, ...]
    ranks: tuple[int, ...]
    labels: tuple[str, ...]
    sizes: tuple[int, ...]
    owner: tuple[int, int]
    root: int
    environment: Mapping[str, str] = field(default_factory=dict)
    bootstrap: bytes | None = None
    python: str | None = None
    argv: tuple[str, ...] = ()
    bind: tuple[Mapping[str, str], ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Process:
    """A process of this host, from the order to its end."""

    order: Order
    index: int
    pid: int | None = None
    stopping: str = ""
    evidence: str = ""
    output: output.Streams = field(init=False)

    @property
    def node(self) -> int:
        """Its node."""
        return self.order.nodes[self.index]

    @property
    def point(self) -> Point:
        """Its place in the mesh."""
        order = self.order
        return Point(order.ranks[self.index], Extent(order.labels, order.sizes))

    @property
    def place(self) -> str:
        """Its place in the mesh, for people."""
        return ",".join(f"{label}={i}" for label, i in self.point.items())

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.order.mesh_name}{{{self.place}}}" if self.place else self.order.mesh_name


_present: dict[int, Gateway] = {}


def gateway_of_process(node: int) -> Gateway | None:
    """Return the gateway that this process is, if it is the one of that node."""
    return _present.get(node)


class Gateway:
    """The processes of this host. Its methods run on the agent's thread unless they say else."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._local = agent.local
        self._node = agent.local.node
        self.processes: dict[int, Process] = {}
        self.output = output.Forwarder(self._node)
        self._launcher = early.take(self._on_exit)
        _present.clear()
        _present[self._node.id] = self
        agent.handlers |= {
            "spawn_procs": self._ordered,
            "spawn_actors": partial(pass_on, agent.local),
            "stop_procs": self._stop_ordered,
            "ready": self._ready,
            "!lost": self._lost,
            "!silent": self._silent,
            "!unrouted": self._unrouted,
            "!ordered": self._expect,
        }

    def spawn(self, order: Order) -> None:
        """Start processes; returns at once. From any thread."""
        for index in range(len(order.nodes)):
            self._start(order, index)
        if order.owner[0] != self._node.id:
            self._node.watch(order.owner[0])

    def close(self) -> None:
        """End every process of this host."""
        try:
            present = list(self.processes.values())  # the launcher's thread takes the dead out
            for process in present:
                process.stopping = process.stopping or "the program has ended"
            if present:  # they hear it sooner than a signal, for which Python has to wake up
                data, _ = dumps(("SIGTERM follows",))
                sending.tell(self._node, [each.node for each in present], "leave", data)
            self._launcher.close(config.get("stop_timeout"))
        finally:
            self.output.close()

    def _start(self, order: Order, index: int) -> None:
        process = Process(order, index)
        try:
            with ExitStack() as opened:
                self._launch(process, opened)
        except (OSError, ValueError) as error:
            exit_ = Exit(process.node, 0, error=f"no process was started: {error}")
            if process.node in self.processes:
                self._on_exit(exit_)
            else:
                self._node.revive(process.node)
                self._node.bury(process.node, failure_bytes(self._failure(process, exit_, ())))

    def _launch(self, process: Process, opened: ExitStack) -> None:
        """Start a process; what is opened for it alone goes on the stack. OSError, ValueError."""
        order, node_id = process.order, process.node
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        opened.enter_context(ours)
        opened.enter_context(theirs)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        opened.enter_context(listener)
        try:
            listener.bind(core.socket_name(node_id))
        except OSError as error:  # of a life that is not over, or was never begun
            raise OSError(error.errno, _address_held(self._launcher.stopped_zygotes())) from error
        listener.listen(_BACKLOG)
        process.output, stdout, stderr = self.output.open(
            order.mesh_name, process.place, process.point.extent.nelements
        )
        opened.callback(os.close, stdout)
        opened.callback(os.close, stderr)
        self.processes[node_id] = process
        self._node.revive(node_id)
        self._node.adopt(ours.detach(), node_id, unix_socket=True)
        fds = {"gateway": theirs.fileno(), "listener": listener.fileno()}
        settings = {**order.settings, **self._local.agreed}
        self._launcher.spawn(_request(process, settings, stdout, stderr, fds))
        for news in ("!ordered", "!revived"):
            self._node.tell(sending.AGENT, news, about=node_id)

    def _ordered(self, message: Message) -> None:
        self.spawn(loads(message.data)[0])

    def _stop_ordered(self, message: Message) -> None:
        nodes, reason = loads(message.data)
        self.stop(nodes, reason)

    def stop(self, nodes: tuple[int, ...], reason: str) -> None:
        """End processes: their actors' clean-up, then TERM, then KILL."""
        for node_id in nodes:
            process = self.processes.get(node_id)
            if process is None or process.stopping:
                continue
            process.stopping = reason or "its owner stopped it"
            sending.tell(self._node, [node_id], "leave")
            terminate = partial(self._end, process, signal.SIGTERM)
            self.agent.after(config.get("stop_timeout"), terminate)
            self.agent.after(until_killed(), partial(self._destroy, process))

    def signal(self, node_id: int, number: int) -> None:
        """Send a signal to a process, if it is there."""
        self._kill(node_id, number)

    def orphan(self, owner: int) -> None:
        """End the processes of an owner that is dead; of all on its host, if it is a gateway."""
        orphans = [
            process.node
            for process in list(self.processes.values())
            if owner in (process.order.owner[0], gateway_of(process.order.owner[0]))
        ]
        self.stop(tuple(orphans), "the process of its owner is dead")

    def _kill(self, node_id: int, number: int) -> None:
        if node_id in self.processes:
            self._launcher.kill(node_id, number)

    def _end(self, process: Process, number: int) -> None:
        """Send a signal to this life of a process; the next one has done nothing."""
        if self.processes.get(process.node) is process:
            self._launcher.kill(process.node, number)

    def _destroy(self, process: Process) -> None:
        """Kill this life of a process, and bury it also when nobody tells of its end."""
        if self.processes.get(process.node) is not process:
            return
        self._launcher.kill(process.node, signal.SIGKILL)
        zygote = self._launcher.zygote_of(process.node)
        stopped = zygote is not None and zygote[1]
        self.agent.after(_KILLED if stopped else until_told(), partial(self._give_up, process))

    # How processes end.

    def _on_exit(self, exit_: Exit) -> None:
        """Bury a process. On the launcher's thread: nothing may delay it."""
        process = self.processes.pop(exit_.node, None)
        if process is None:
            return
        process.output.drain()
        tail = process.output.tail(config.get("tail_lines"))
        self._node.bury(exit_.node, failure_bytes(self._failure(process, exit_, tail)))

    def _failure(self, process: Process, exit_: Exit, tail: Sequence[str]) -> MeshFailure:
        kind, cause = _told(exit_)
        if process.stopping:
            kind, cause = "stopped", f"the process has ended: {process.stopping}"
        elif process.evidence:
            kind, cause = process.evidence.split(":", 1)
            if exit_.error:
                cause += f"; {exit_.error}"
        return MeshFailure(
            event_id=os.urandom(16).hex(),
            kind=kind,
            cause=cause,
            mesh_name=process.order.mesh_name,
            rank=process.point.rank,
            point=dict(process.point),
            host=self._local.host,
            pid=exit_.pid or None,
            status=exit_.status,
            signal=exit_.signal,
            output_tail=tuple(tail),
        )

    def _expect(self, message: Message) -> None:
        """Kill a process that is not ready in time: whoever waits for it would wait for ever."""
        process = self.processes.get(message.source_node)
        patience = config.get("spawn_timeout")

        def look() -> None:
            if process is not None and process.pid is None and not process.stopping:
                process.evidence = f"init:the process was not ready after {patience:g} s"
                self._destroy(process)

        self.agent.after(patience, look)

    def _ready(self, message: Message) -> None:
        process = self.processes.get(message.source_node)
        if process is not None:
            process.pid = loads(message.data)[0]
            tell_started(self._local, process.order.owner, process.node, 0)

    def _lost(self, message: Message) -> None:
        """Kill a process that lives on after its connection: nobody can reach it."""
        node_id = message.source_node

        lost = self.processes.get(node_id)

        def look() -> None:
            if lost is not None and self.processes.get(node_id) is lost:
                lost.evidence = "connection:the process closed its connection and lived on"
                self._destroy(lost)

        self.agent.after(config.get("eof_grace"), look)
        for process in list(self.processes.values()):
            if process.order.owner[0] == node_id:
                self.stop((process.node,), "the process of its owner is dead")

    def _give_up(self, process: Process) -> None:
        """Bury a process of whose end nobody tells: its zygote is stopped, or stuck."""
        if self.processes.get(process.node) is process:
            error = _silence_of(self._launcher.zygote_of(process.node))
            self._launcher.forget(process.node)
            self._on_exit(Exit(process.node, process.pid or 0, error=error))

    def _silent(self, message: Message) -> None:
        """Kill a process that gives no sign of life: it must not come back."""
        process = self.processes.get(message.source_node)
        if process is None:
            return
        seconds = self._local.settings["heartbeat_timeout"]
        process.evidence = f"heartbeat:the process gave no sign of life for {seconds:g} s"
        self._destroy(process)

    def _unrouted(self, message: Message) -> None:
        """Messages wait for a process that nobody has ordered yet; or never will."""
        node_id = message.source_node

        def look() -> None:
            if node_id not in self.processes:
                self._node.bury(node_id, b"")

        self.agent.after(_PATIENCE, look)


_PATIENCE = 5.0
_KILLED = 0.1  # seconds in which what a dead process has written is read


def _request(
    process: Process, settings: dict[str, Any], stdout: int, stderr: int, fds: Mapping[str, int]
) -> Spawn:
    """Return what the launcher is asked for; ValueError when this host cannot bind it so."""
    order = process.order
    bind = order.bind[process.index] if order.bind else {}
    start = (process.node, process.name, order.root, settings, order.bootstrap)
    return Spawn(
        node=process.node,
        name=process.name,
        main="runtime.actor.worker:main",
        argument=dumps(start)[0],
        stdout=stdout,
        stderr=stderr,
        fds=fds,
        environment=order.environment,
        python=order.python,
        argv=order.argv,
        affinity=binding.cpus(bind),
        memory=binding.memory(bind),
    )


def _silence_of(zygote: tuple[int, bool] | None) -> str:
    """Say why nobody tells how a process has ended."""
    if zygote is None:
        return "its zygote has ended"
    pid, stopped = zygote
    if stopped:
        return f"its zygote (pid {pid}) is stopped, and starts and reaps nothing until SIGCONT"
    return f"its zygote (pid {pid}) does not answer"


def _address_held(stopped: list[int]) -> str:
    words = f"; zygotes {stopped} are stopped, and let go of it after SIGCONT" if stopped else ""
    return f"the address of its last life is still held{words}"


def _told(exit_: Exit) -> tuple[str, str]:
    if exit_.error and not exit_.signal:
        return "exit", exit_.error
    if exit_.signal is not None:
        name = signal.Signals(exit_.signal).name if exit_.signal in _NAMES else "a signal"
        core_text = ", core dumped" if exit_.core_dumped else ""
        text = f"killed by signal {exit_.signal} ({name}{core_text})"
        return "signal", f"{text}: {exit_.error}" if exit_.error else text
    return "exit", f"exited with status {exit_.status}"


_NAMES = {int(each) for each in signal.Signals}
