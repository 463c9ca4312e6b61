"""The debugger of a program: which actors are at a breakpoint, and who is connected to them.

It is an actor of the client's process. Whoever has the client's user connects to its unix socket,
which is in a folder of that user's own, and has a terminal there (terminal.py).
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
from functools import partial

from runtime.actor import _context
from runtime.actor.actor import Actor
from runtime.actor.controllers import get_or_spawn_controller
from runtime.actor.debugging.sessions import Sessions
from runtime.actor.debugging.terminal import Terminal
from runtime.actor.endpoints import endpoint
from runtime.telemetry import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.actor.actor_mesh import ActorMesh
    from runtime.actor.channel import Port
    from runtime.actor.debugging.sessions import Stop

_PATIENCE = struct.pack("ll", 5, 0)  # seconds that a terminal may take to read
_PAUSE = 0.1  # seconds until the next try, where none can be let in


class DebugController(Actor):
    """The one of the program: `debug_controller()`."""

    def __init__(self) -> None:
        _context.context().actor_instance.set_system()
        self._sessions = Sessions()
        self._listener: socket.socket | None = None
        self._problem = ""
        try:
            self._listener, folder, _ = places.listener("debug")
        except OSError as error:
            self._problem = str(error)
            return
        os.close(folder)
        serve = partial(self._serve, self._listener)
        threading.Thread(target=serve, name="debugger", daemon=True).start()

    @endpoint
    def problem(self) -> str:
        """Return why nobody can reach it; empty when somebody can."""
        return self._problem

    @endpoint
    def stopped(self, stop: Stop, port: Port[str]) -> None:
        """Note that an actor waits for commands."""
        session = self._sessions.stopped(stop, port)
        if session.terminal is None:  # to whoever has the client's terminal
            how = f"python -m runtime debug --pid {os.getpid()}"
            sys.stderr.write(f"breakpoint: {session.where}; debug it with `{how}`\n")

    @endpoint
    def told(self, key: str, text: str) -> None:
        """Take what the pdb of an actor prints."""
        self._sessions.told(key, text)

    @endpoint
    def goes_on(self, key: str) -> None:
        """Note that an actor runs again."""
        self._sessions.goes_on(key)

    @endpoint
    def listed(self) -> list[Stop]:
        """Return where actors stand."""
        return [session.stop for session in self._sessions.standing()]

    def __cleanup__(self, error: BaseException | None) -> None:
        """Be reachable no more."""
        if self._listener is not None:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)  # which wakes the thread that accepts
            self._listener.close()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                if listener.fileno() < 0:
                    return
                time.sleep(_PAUSE)  # no descriptor is free: one will be
                continue
            if not places.is_for_user(connection):
                connection.close()
                continue
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _PATIENCE)
            terminal = Terminal(self._sessions, connection)
            try:
                threading.Thread(target=terminal.run, name="debugger", daemon=True).start()
            except RuntimeError:  # no thread can be started
                connection.close()


def debug_controller() -> ActorMesh[DebugController]:
    """Return the debugger of the program."""
    return get_or_spawn_controller("debug_controller", DebugController).get()
