"""Answers those who look at this program, on a unix socket that only its user can reach.

A thread of its own answers, so the program's main thread may be as busy in Python as it likes.
"""

from __future__ import annotations

import os
import select
import threading
import time
from contextlib import suppress

from runtime.telemetry import places, processes, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import Any

VERSION = 1
_PATIENCE = 2.0  # seconds that whoever asks has for asking and for reading
_PAUSE = 100  # milliseconds until the next try, where nobody can be let in
_LONGEST = 60.0
_REQUEST = 4096


class StatusServer:
    """Serves what `gather(timeout)` returns: the hosts of the program."""

    def __init__(self, gather: Callable[[float], list[dict[str, Any]]], role: str) -> None:
        self._gather = gather
        self._role = role
        self._pid = os.getpid()
        self._listener, self._folder, self._name = places.listener()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC)
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="status", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """End, and leave nothing in the folder."""
        if os.getpid() != self._pid:
            return
        self._closed = True
        with suppress(OSError):
            os.unlink(self._name, dir_fd=self._folder)
        os.eventfd_write(self._wake, 1)
        self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self._listener.close()
            os.close(self._wake)
            os.close(self._folder)

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        woken = select.poll()
        woken.register(self._wake, select.POLLIN)
        while True:
            poll.poll()
            if self._closed:
                return
            if not self._let_in():
                woken.poll(_PAUSE)  # the listener stays readable: without it this would spin

    def _let_in(self) -> bool:
        """Serve one who asks; False where no descriptor or thread is free."""
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return False
        try:
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
        except RuntimeError:
            connection.close()
            return False
        return True

    def _serve(self, connection: socket.socket) -> None:
        import json

        with connection, suppress(OSError, ValueError):
            connection.settimeout(_PATIENCE)
            if not places.is_for_user(connection):
                return
            request = json.loads(connection.recv(_REQUEST) or b"{}")
            timeout = min(max(float(request.get("timeout", 1.0)), 0.0), _LONGEST)
            connection.sendall(json.dumps(self._answer(timeout)).encode())

    def _answer(self, timeout: float) -> dict[str, Any]:
        return {
            "version": VERSION,
            "pid": self._pid,
            "role": self._role,
            "command": processes.command(self._pid),
            "uptime": processes.uptime(self._pid),
            "time": time.time(),
            "hosts": [_readable(host) for host in self._gather(timeout)],
            "failures": state.failures_told(),
        }


def _readable(host: dict[str, Any]) -> dict[str, Any]:
    """Return a host with nodes as text: JSON's numbers have not enough digits in most readers."""
    rows = [row | {"node": f"{row['node']:016x}"} for row in host["processes"]]
    return host | {"node": f"{host['node']:016x}", "processes": rows}
