"""One zygote as the gateway sees it: its start, what was asked of it, and its end."""

from __future__ import annotations

import itertools
import os
import select
import signal
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.actor.launch import control, environment, marks, system
from runtime.actor.launch.child import BLOCKED
from runtime.actor.launch.process import Exit, Spawn
from runtime.actor.launch.zygote import CONFIG_FD, CONTROL_FD, GATEWAY_FD

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROOT = str(Path(__file__).resolve().parents[3])
_CODE = (
    "import marshal, os, sys; "
    f"c = marshal.loads(os.pread({CONFIG_FD}, os.fstat({CONFIG_FD}).st_size, 0)); "
    f"os.close({CONFIG_FD}); "
    "sys.path.extend(p for p in c['roots'] if p not in sys.path); "
    "sys.path[:] = c['path'] or sys.path; "
    "from runtime.actor.launch.zygote import main; main(c)"
)
_END_SECONDS = 5.0  # for the kernel to end what was killed
_PAUSE = 0.01


@dataclass(frozen=True)
class Key:
    """What tells one zygote from another: its interpreter, and what acts when that starts."""

    python: str
    variables: tuple[tuple[str, str], ...]


def interpreter(python: str) -> list[str]:
    """Return the command of an interpreter, with the flags of this one where it is the same."""
    flags = sys.flags
    command = [python]
    if flags.isolated:
        command.append("-I")
    command += ["-E"] * (flags.ignore_environment and not flags.isolated)
    command += ["-s"] * (flags.no_user_site and not flags.isolated)
    command += ["-P"] * (flags.safe_path and not flags.isolated)
    command += ["-S"] * flags.no_site + ["-O"] * flags.optimize + ["-B"] * flags.dont_write_bytecode
    for name, value in sys._xoptions.items():  # noqa: SLF001 - the documented name
        command += ["-X", name if value is True else f"{name}={value}"]
    for option in sys.warnoptions:
        command += ["-W", option]
    return command


def search_path() -> list[str]:
    """Return where this process finds modules, in words that hold in any folder."""
    here = _here()
    return [path for entry in sys.path if (path := str(entry) or here)]


def _here() -> str | None:
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # it was removed: then any folder does
        return None


@dataclass(eq=False)
class Life:
    """A process that a zygote was asked for; its pid is 0 until it is known."""

    node: int
    pid: int = 0


@dataclass(eq=False)
class Nursery:
    """A running zygote and the processes that it was asked for. Not thread-safe."""

    key: Key
    run: int
    pid: int
    pidfd: int
    link: control.Control
    lives: dict[int, Life] = field(default_factory=dict)  # by number
    reason: str = ""  # why it does not serve, once it said so
    told: bool = False  # anything yet: before, it is not ready and has no processes
    _queue: deque[tuple[control.Message, list[int]]] = field(default_factory=deque)

    @property
    def waits_to_send(self) -> bool:
        """Whether messages wait for room in the socket."""
        return bool(self._queue)

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has stopped the zygote: then it does nothing until it is let go on."""
        return system.is_stopped(self.pid)

    def has(self, node: int) -> bool:
        """Whether it was asked for a process of the node, whose end it has not told."""
        return any(life.node == node for life in self.lives.values())

    def spawn(self, request: Spawn, number: int, variables: dict[str, str]) -> None:
        """Ask for a process. Raises OSError when the zygote has gone or a descriptor is closed."""
        same = self.key.python == sys.executable
        message = {
            "number": number,
            "name": str(request.name),
            "main": str(request.main),
            "argument": bytes(request.argument),
            "names": [str(name) for name in request.fds],
            "environment": {**variables, environment.RUN: str(self.run)},
            "path": search_path() if same else [],
            "roots": [_ROOT],
            "python": interpreter(self.key.python),
            "argv": [str(word) for word in request.argv],
            "cwd": _here() if request.cwd is None else str(request.cwd),
            "affinity": None
            if request.affinity is None
            else [int(cpu) for cpu in request.affinity],
            "memory": None if request.memory is None else [int(node) for node in request.memory],
        }
        self._send(("spawn", message), [request.stdout, request.stderr, *request.fds.values()])
        self.lives[number] = Life(request.node)

    def kill(self, node: int, signal_: int) -> None:
        """Send a signal to the process of a node: through the zygote, or past one that is stopped.

        OSError when the zygote has gone.
        """
        for number, life in self.lives.items():
            if life.node == node:
                self._kill(number, life.pid, signal_)

    def forget(self, node: int) -> None:
        """Tell no end of the present process of a node; one that is not born yet will not live."""
        for number in [number for number, life in self.lives.items() if life.node == node]:
            pid = self.lives.pop(number).pid
            self._kill(number, pid, signal.SIGKILL)

    def close(self, grace: float) -> None:
        """Ask for the end of all processes and of the zygote, which goes on if it was stopped."""
        with suppress(OSError):  # it has gone, or the program became another user
            signal.pidfd_send_signal(self.pidfd, signal.SIGCONT)
        self._send(("close", grace), [])

    def destroy(self) -> None:
        """Kill the zygote; its children die with it."""
        with suppress(OSError):  # it has gone, or the program became another user
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def flush(self) -> None:
        """Send what waits, as far as there is room."""
        while self._queue and self.link.send(*self._queue[0]):
            for fd in self._queue.popleft()[1]:
                os.close(fd)

    def receive(self) -> tuple[list[Exit], bool]:
        """Return the exits that it has told, and whether that was all it will ever tell."""
        exits: list[Exit] = []
        while True:
            try:
                received = self.link.receive()
            except BlockingIOError:
                return exits, False
            except OSError:
                received = None
            if received is None:
                return exits, True
            exits += self._note(received[0])

    def bury(self) -> list[Exit]:
        """Reap the zygote and kill what it has left; return the exits that it did not tell."""
        if not select.select([self.pidfd], [], [], _END_SECONDS)[0]:
            self.destroy()
            select.select([self.pidfd], [], [], _END_SECONDS)
        how = self._reaped()
        self.abandon()  # first: there may be no other free descriptor
        with suppress(OSError):  # nor that one: what it forked has died with it all the same
            _kill_rest(self.run)
        reason = self.reason or f"its zygote (pid {self.pid}) {how}; it was killed with it"
        return [
            Exit(
                life.node, life.pid, signal=int(signal.SIGKILL) if life.pid else None, error=reason
            )
            for life in self.lives.values()
        ]

    def abandon(self) -> None:
        """Close what this process holds of it, as a fork of the gateway must."""
        for _, fds in self._queue:
            for fd in fds:
                os.close(fd)
        self._queue.clear()
        self.link.close()
        os.close(self.pidfd)

    def _send(self, message: control.Message, fds: Sequence[int]) -> None:
        if self._queue or not self.link.send(message, fds):
            self._queue.append((message, [os.dup(fd) for fd in fds]))

    def _note(self, message: control.Message) -> list[Exit]:
        kind, *rest = message
        self.told = True
        if kind == "started":
            number, pid = rest
            if number in self.lives:
                self.lives[number].pid = pid
        elif kind == "failed":
            self.reason = rest[0]
        elif kind == "exit":
            life = self.lives.pop(rest[0], None)
            if life is not None:
                return [Exit(life.node, *rest[1:])]
        return []

    def _kill(self, number: int, pid: int, signal_: int) -> None:
        if pid and self.is_stopped:
            system.signal_child(pid, self.pid, signal_)
        else:
            self._send(("kill", number, int(signal_)), [])

    def _reaped(self) -> str:
        try:
            status = os.waitpid(self.pid, os.WNOHANG)[1]
        except ChildProcessError:  # the program reaps every child itself
            return "has ended"
        if os.WIFSIGNALED(status):
            return f"died of signal {os.WTERMSIG(status)}"
        return f"has ended with status {os.WEXITSTATUS(status)}"


def _kill_rest(run: int) -> None:
    """Kill what carries the mark of a dead zygote, until nothing is left."""
    end = time.monotonic() + _END_SECONDS
    while marks.kill(run) and time.monotonic() < end:
        time.sleep(_PAUSE)


def start(key: Key, variables: dict[str, str], preload: Sequence[str]) -> Nursery:
    """Execute a zygote. Raises OSError."""
    run = marks.new_run()
    same = key.python == sys.executable
    config = {
        "run": run,
        "path": search_path() if same else [],
        "roots": [_ROOT],
        "preload": list(preload),
    }
    near, far = control.pair()
    opened = [control.to_file(config, "eclosion-zygote"), os.pidfd_open(os.getpid())]
    try:
        pid = _execute(key, {**variables, environment.RUN: str(run)}, far.fileno(), *opened)
    except BaseException:
        near.close()
        raise
    finally:
        far.close()
        for fd in opened:
            os.close(fd)
    return Nursery(key, run, pid, os.pidfd_open(pid), control.Control(near))


def _execute(key: Key, variables: dict[str, str], link: int, config: int, gateway: int) -> int:
    """Start the interpreter in a session of its own, with its three descriptors where it looks."""
    places = {link: CONTROL_FD, config: CONFIG_FD, gateway: GATEWAY_FD}
    # Through higher numbers: a source may be another one's target, and a dup2 onto itself keeps
    # the flag that closes it. No higher than needed: few descriptors may be allowed.
    aside = dict(zip(places, itertools.count(1 + max(*places, *places.values())), strict=False))
    actions: list[Any] = [(os.POSIX_SPAWN_DUP2, source, high) for source, high in aside.items()]
    actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
    for source, high in aside.items():
        actions.append((os.POSIX_SPAWN_DUP2, high, places[source]))
        actions.append((os.POSIX_SPAWN_CLOSE, high))
    command = [*interpreter(key.python), "-c", _CODE]
    return os.posix_spawnp(
        key.python,
        command,
        variables,
        file_actions=actions,
        setsid=True,
        setsigmask=BLOCKED,
        setsigdef=[number for number in signal.valid_signals() if number < signal.SIGRTMIN],
    )
