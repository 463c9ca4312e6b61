"""The zygote: a small process with one thread that forks a host's processes and reaps them.

It is executed, never forked, from the gateway, and ends when the gateway does, after everything
that descends from it:
ZY-1 it has one thread, so that a fork copies no lock that another thread holds.
ZY-2 it is the parent or subreaper of all descendants, so that it can name every death.
ZY-3 the gateway's end is seen by its pidfd (a forked copy of the gateway may hold the socket).
ZY-4 signals that a job scheduler sends to everyone wait in its mask: the gateway decides.
"""

import _socket
import gc
import importlib
import os
import select
import signal
import sys
import time
from contextlib import suppress

from runtime.actor.launch import control, system
from runtime.actor.launch.child import Child
from runtime.actor.launch.family import Family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from runtime.actor.launch.control import Message

CONTROL_FD = 10
CONFIG_FD = 11
GATEWAY_FD = 12
_STDERR = 2
_FIRST_PAUSE = 0.005  # seconds between two looks for what the dead have left
_LAST_PAUSE = 0.25
_THREADS_END = 0.5  # seconds that a library has to end its threads for a fork


class Zygote:
    """Serves one gateway until it has gone or asks to close."""

    def __init__(self, run: int, link: control.Control, gateway: int) -> None:
        self._run = run
        self._link = link
        self._gateway = gateway
        self._family = Family(run)
        self._linked = True
        self._outbox: list[Message] = []
        self._deadline: float | None = None  # when asked to close: the end of the grace
        self._pause = _FIRST_PAUSE
        self._wake = _wake_on_children()
        self._poll = select.poll()
        for fd in (link.fileno(), gateway, self._wake[0]):
            self._poll.register(fd, select.POLLIN)

    def serve(self) -> Child | None:
        """Serve until nothing is left to do (None); in a forked process return what it is to be."""
        own = os.getpid()
        try:
            return self._serve()
        except BaseException:
            if os.getpid() == own:  # a bug of ours: still leave nobody behind
                self._family.kill_all()
            raise

    def _serve(self) -> Child | None:
        while True:
            ready = {fd for fd, _ in self._poll.poll(self._timeout())}
            if self._gateway in ready:
                self._abandoned()
            if self._link.fileno() in ready:
                child = self._requests()
                if child is not None:
                    return child
            self._collect()
            if self._deadline is not None and self._end():
                return None

    def tell(self, *message: "Any") -> None:  # noqa: ANN401 - plain values
        """Send a message to the gateway, now or when its socket has room."""
        self._outbox.append(message)
        self._flush()

    def _timeout(self) -> float | None:
        """Return for how many milliseconds nothing but an event needs attention."""
        if self._family.haunted or (self._deadline is not None and not self._in_grace()):
            self._pause = min(self._pause * 2, _LAST_PAUSE)
            return self._pause * 1000
        self._pause = _FIRST_PAUSE
        if self._deadline is not None:
            return max(0.0, self._deadline - time.monotonic()) * 1000 + 1
        return None

    def _in_grace(self) -> bool:
        return (
            self._deadline is not None
            and len(self._family) > 0
            and time.monotonic() < self._deadline
        )

    def _abandoned(self) -> None:
        self._poll.unregister(self._gateway)
        self._deadline = 0.0

    def _requests(self) -> Child | None:
        """Act on every message that waits; in a forked process return what it is to be."""
        while True:
            try:
                received = self._link.receive()
            except BlockingIOError:
                return None
            except OSError:
                received = None
            if received is None:  # closed, or lost by an exec
                self._poll.unregister(self._link.fileno())
                self._linked = False
                self._deadline = 0.0
                return None
            child = self._act(*received)
            if child is not None:
                return child

    def _act(self, message: "Message", fds: list[int]) -> Child | None:
        kind, *rest = message
        if kind == "spawn":
            child = self._spawn(rest[0], fds)
            if child is not None:
                return child
        elif kind == "kill":
            self._family.kill(*rest)
        elif kind == "close":
            self._close(rest[0])
        elif kind == "incomplete":
            (_, request), sent, came = rest
            self._refuse(request["number"], f"{came} of {sent} descriptors arrived in the zygote")
        for fd in fds:
            os.close(fd)
        return None

    def _spawn(self, request: "dict[str, Any]", fds: list[int]) -> Child | None:
        number = request["number"]
        if self._deadline is not None:
            self._refuse(number, "its host is closing")
            return None
        zygote = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._refuse(number, f"fork: {error.strerror}; see the limits of processes")
            return None
        if pid == 0:
            child = Child(request, fds, self._run, zygote)
            child.settle()
            self._leave()
            return child
        self._family.add(number, pid)
        self.tell("started", number, pid)
        return None

    def _refuse(self, number: int, reason: str) -> None:
        core_dumped = False
        error = f"no process was started: {reason}"
        self.tell("exit", number, 0, None, None, core_dumped, error)

    def _leave(self) -> None:
        """In a forked process: close all that is the zygote's, but the pipe for reports."""
        self._link.close()
        self._family.forget()
        for fd in (self._gateway, *self._wake):
            os.close(fd)

    @property
    def report(self) -> int:
        """The descriptor to which a forked process reports that it could not start."""
        return self._family.report

    def _close(self, grace: float) -> None:
        if self._deadline is None:
            self._deadline = time.monotonic() + grace
            self._family.terminate()

    def _collect(self) -> None:
        """Reap, tell the gateway, and then see to what the dead have left."""
        with suppress(BlockingIOError):
            os.read(self._wake[0], 4096)
        for event in self._family.reap():
            self.tell(*event)
        self._flush()
        if self._family.haunted:
            self._family.haunt()

    def _end(self) -> bool:
        """Kill what the grace does not cover; return whether nothing is left."""
        if self._in_grace():
            return False
        if not self._family.childless:
            self._family.kill_all()
        return self._family.childless

    def _flush(self) -> None:
        if not self._linked:
            return
        try:
            while self._outbox and self._link.send(self._outbox[0]):
                del self._outbox[0]
        except OSError:  # the gateway has gone: its pidfd says so
            self._outbox.clear()
        events = select.POLLIN | (select.POLLOUT if self._outbox else 0)
        self._poll.modify(self._link.fileno(), events)


def _wake_on_children() -> tuple[int, int]:
    """Return a pipe that is readable after a child has ended."""
    read, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, _note)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read, write


def _note(number: int, frame: "FrameType | None") -> None:
    """Let the signal be: the pipe wakes the loop."""


def _threads() -> int:
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - pathlib costs start-up


def load(modules: "list[str]") -> None:
    """Import what every process shall have; raises RuntimeError when that leaves threads.

    Libraries that end their threads for a fork (OpenBLAS does) are given one to do so.
    """
    for name in modules:
        importlib.import_module(name)
    if _threads() > 1:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    end = time.monotonic() + _THREADS_END
    while _threads() > 1 and time.monotonic() < end:
        time.sleep(0.005)
    if (left := _threads()) > 1:
        raise RuntimeError(
            f"{left - 1} threads run after the import; a fork would copy their locks: "
            "leave out the module that starts them"
        )


def _prepare(config: "dict[str, Any]", link: control.Control) -> bool:
    """Load modules and freeze the heap, so that forks share its pages; False when that failed."""
    gc.disable()
    try:
        load(config["preload"])
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the module raises
        names = ", ".join(config["preload"])
        with suppress(OSError):  # nobody is there to hear it
            link.send(("failed", f"preload of {names} failed: {type(error).__name__}: {error}"))
        return False
    gc.collect()
    gc.freeze()
    return True


def _have_streams() -> None:
    """Open what the gateway was started without: else descriptors of ours would take its place."""
    fd = 0
    while fd <= _STDERR:
        fd = os.open(os.devnull, os.O_RDWR)
        os.set_inheritable(fd, fd <= _STDERR)
    os.close(fd)


def _close_others() -> None:
    """Close what the gateway's own parent had left open for it: no process asked for that."""
    _have_streams()
    os.closerange(3, CONTROL_FD)
    os.closerange(GATEWAY_FD + 1, os.sysconf("SC_OPEN_MAX"))


def main(config: "dict[str, Any]") -> None:
    """Serve in this process, and run the main function of a child in each that is forked."""
    _close_others()
    system.become_subreaper()
    system.set_name("eclosion-zygote")
    system.set_title("eclosion: zygote")
    link = control.Control(_socket.socket(fileno=CONTROL_FD))
    for fd in (CONTROL_FD, GATEWAY_FD):
        os.set_inheritable(fd, False)  # noqa: FBT003 - its only parameter
    child = None
    if _prepare(config, link):
        zygote = Zygote(config["run"], link, GATEWAY_FD)
        child = zygote.serve()
    if child is None:
        os._exit(0)
    call = child.become(zygote.report)
    del zygote, link
    # Leaves through the interpreter's own end: exit handlers, threads, buffers.
    sys.exit(call(child.fds, child.request["argument"]))
