"""The launcher: by which a gateway starts, kills and ends the processes of its host."""

import itertools
import os
import select
import signal
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from runtime.actor.launch import environment, nursery
from runtime.actor.launch.nursery import Key, Nursery
from runtime.actor.launch.process import Exit, Spawn

__all__ = ["Exit", "Launcher", "LauncherClosedError", "Spawn"]

_BEGINNING = 3.0  # seconds that the end waits for zygotes that are not ready
_MARGIN = 10.0  # seconds that the end may take after the grace
_JOIN = 5.0


class LauncherClosedError(RuntimeError):
    """The launcher was closed, or belongs to the process that this one was forked from."""


class Launcher:
    """Starts processes through zygotes, and tells of the end of each exactly once.

    One per gateway; every method may be called from any thread. `on_exit` is called from the
    launcher's own thread, which starts with the first process. A process that was started dies
    with this one, and with all that it has started itself.
    """

    def __init__(self, *, on_exit: Callable[[Exit], None], preload: Sequence[str] = ()) -> None:
        self._on_exit = on_exit
        self._preload = tuple(preload)
        self._numbers = itertools.count(1)
        self._nurseries: dict[Key, Nursery] = {}
        self._dying: list[Nursery] = []  # replaced after a send has failed
        self._failed: deque[Exit] = deque()
        self._closing: float | None = None
        self._forked = False
        self._lock = threading.Lock()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._thread: threading.Thread | None = None
        self._ended = False
        _launchers.add(self)

    def spawn(self, request: Spawn) -> None:
        """Start a process; returns at once. That it could not be started is an Exit with an error.

        Raises LauncherClosedError after `close`.
        """
        with self._lock:
            self._check()
            try:
                variables = environment.merged(os.environ, request.environment)
                self._ask(request, variables)
            except (OSError, ValueError) as error:
                reason = f"no process was started: {error}"
                self._failed.append(Exit(request.node, 0, error=reason))
            self._start_thread()
            self._alert()

    def tell(self, on_exit: Callable[[Exit], None]) -> None:
        """Tell of exits by another function from now on."""
        with self._lock:
            self._on_exit = on_exit

    def warm(self) -> None:
        """Start the zygote of processes like this one, so that the first of them need not wait.

        An error is left to the first process that is asked for.
        """
        with self._lock:
            self._check()
            key = Key(sys.executable, environment.key(os.environ))
            if key in self._nurseries:
                return
            with suppress(OSError):
                self._nurseries[key] = nursery.start(key, dict(os.environ), self._preload)
            self._start_thread()
            self._alert()

    def kill(self, node: int, number: int) -> None:
        """Send the signal `number` to the process of a node; nothing happens when it has ended."""
        if number not in signal.valid_signals():
            raise ValueError(f"{number} is no signal of this system")
        with self._lock:
            if self._forked:
                raise LauncherClosedError("this process is a fork of the gateway")
            for one in self._nurseries.values():
                _try(one.kill, node, number)

    def forget(self, node: int) -> None:
        """Tell no end of the present process of a node, which is killed; it may be spawned anew."""
        with self._lock:
            for one in self._all():
                _try(one.forget, node)

    def stopped_zygotes(self) -> list[int]:
        """Return the pids of the zygotes that somebody has stopped."""
        with self._lock:
            return [one.pid for one in self._all() if one.is_stopped]

    def zygote_of(self, node: int) -> tuple[int, bool] | None:
        """Return the zygote of a node's process and whether it is stopped; None if it has ended."""
        with self._lock:
            for one in self._all():
                if one.has(node):
                    return one.pid, one.is_stopped
        return None

    def close(self, grace: float) -> None:
        """End every process: TERM, `grace` seconds, then KILL to it and all that it has started.

        Returns when nothing is left, and all exits were told. Raises TimeoutError when the kernel
        does not let a process end; RuntimeError when called from `on_exit`.
        """
        with self._lock:
            if self._forked:
                return
            thread = self._thread
            if self._closing is None:
                self._closing = time.monotonic() + grace
                for one in self._all():
                    _try(one.close, grace)
                self._alert()
        if thread is threading.current_thread():
            raise RuntimeError("close cannot wait in on_exit for the thread that calls it")
        if thread is not None:
            self._join(thread, grace)
        with self._lock:
            if not self._ended:
                self._ended = True
                os.close(self._wake)

    def _join(self, thread: threading.Thread, grace: float) -> None:
        thread.join(_BEGINNING)
        if thread.is_alive():  # what a zygote imports may never end
            with self._lock:
                for one in self._all():
                    if not one.told:
                        one.destroy()
            thread.join(max(0.0, grace + _MARGIN - _BEGINNING))
        if thread.is_alive():
            with self._lock:
                for one in self._all():
                    one.destroy()
            thread.join(_JOIN)
        if thread.is_alive():
            left = sorted(life.pid for one in self._all() for life in one.lives.values())
            raise TimeoutError(f"processes {left} do not end though they were killed")

    def _check(self) -> None:
        if self._forked:
            raise LauncherClosedError("this process is a fork of the gateway: it has no launcher")
        if self._closing is not None:
            raise LauncherClosedError("the launcher is closed: it starts no more processes")

    def _ask(self, request: Spawn, variables: dict[str, str]) -> None:
        """Pass the request to the zygote that fits, or to a new one in the place of a dead one."""
        # What is executed needs no zygote that was started with its variables.
        acting = dict(os.environ) if request.argv else variables
        key = Key(request.python or sys.executable, environment.key(acting))
        number = next(self._numbers)
        present = self._nurseries.get(key)
        if present is not None:
            try:
                present.spawn(request, number, variables)
            except (BrokenPipeError, ConnectionResetError):
                self._dying.append(self._nurseries.pop(key))
            else:
                return
        fresh = nursery.start(key, acting, self._preload)
        self._nurseries[key] = fresh
        fresh.spawn(request, number, variables)

    def _all(self) -> list[Nursery]:
        return [*self._nurseries.values(), *self._dying]

    def _alert(self) -> None:
        os.eventfd_write(self._wake, 1)

    def _start_thread(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="launcher", daemon=True)
            self._thread.start()

    def _watch(self) -> None:
        """Deliver exits until the launcher is closed and every zygote has ended."""
        while True:
            self._wait()
            with self._lock:
                exits = list(self._failed)
                self._failed.clear()
                ended = [one for one in self._all() if self._serve(one, exits)]
                for one in ended:
                    self._remove(one)
                done = self._closing is not None and not self._all()
            self._deliver(exits)
            for one in ended:
                self._deliver(one.bury())
            if done:
                return

    def _wait(self) -> None:
        poll = select.poll()
        with self._lock:
            poll.register(self._wake, select.POLLIN)
            for one in self._all():
                events = select.POLLIN | (select.POLLOUT if one.waits_to_send else 0)
                poll.register(one.link.fileno(), events)
                poll.register(one.pidfd, select.POLLIN)
        poll.poll()
        with suppress(BlockingIOError):
            os.eventfd_read(self._wake)

    def _serve(self, one: Nursery, exits: list[Exit]) -> bool:
        """Take what a zygote tells and send what waits for it; return whether it has ended."""
        _try(one.flush)
        gone = bool(select.select([one.pidfd], [], [], 0)[0])
        told, end = one.receive()
        exits += told
        return end or gone

    def _remove(self, one: Nursery) -> None:
        if one in self._dying:
            self._dying.remove(one)
        else:
            del self._nurseries[one.key]

    def _deliver(self, exits: list[Exit]) -> None:
        for each in exits:
            try:
                self._on_exit(each)
            except Exception:
                import logging  # costs the start of a program a part of its time

                logging.getLogger(__name__).exception("on_exit failed for %s", each)

    def _forget(self) -> None:
        """In a fork of the gateway: let go of everything, so that its death is seen."""
        self._forked = True
        self._lock = threading.Lock()
        for one in self._all():
            one.abandon()
        if not self._ended:
            os.close(self._wake)


def _try(send: Callable[..., None], *arguments: object) -> None:
    """Send to a zygote that may have gone: then its end is told by its pidfd."""
    with suppress(OSError):
        send(*arguments)


def _after_fork() -> None:
    for each in list(_launchers):
        each._forget()  # noqa: SLF001 - of this module


_launchers: weakref.WeakSet[Launcher] = weakref.WeakSet()
os.register_at_fork(after_in_child=_after_fork)
