"""A terminal of a program's debugger: joins its socket with this process's input and output."""

from __future__ import annotations

import os
import select
import socket

from runtime.telemetry import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.dashboard.programs import Found

_PIECE = 1 << 16


def talk(program: Found, source: int, target: int) -> None:
    """Copy a descriptor's lines to the debugger and its text to another, until either ends.

    A program that ends is the end of its debugger, whatever it had not read. OSError when the
    debugger cannot be reached.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        folder = places.open_private(program.folder, make=False)
        try:
            connection.connect(places.path_of(folder, program.name))
        finally:
            os.close(folder)
        places.expect(connection, program.pid)
        _copy(connection, source, target)


def _copy(connection: socket.socket, source: int, target: int) -> None:
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    poll.register(source, select.POLLIN)
    while True:
        for fd, _ in poll.poll():
            if fd == source:
                if not _forward(source, connection):
                    poll.unregister(source)
            elif text := _received(connection):
                os.write(target, text)
            else:
                return


def _forward(source: int, connection: socket.socket) -> bool:
    """Pass lines on; return whether there may be more that the debugger takes."""
    typed = os.read(source, _PIECE)
    try:
        if typed:
            connection.sendall(typed)
        else:
            connection.shutdown(socket.SHUT_WR)
    except OSError:  # it has ended; what it said before is still to be read
        return False
    return bool(typed)


def _received(connection: socket.socket) -> bytes:
    """Return text of the debugger; none at its end, which is a reset if it left lines unread."""
    try:
        return connection.recv(_PIECE)
    except ConnectionResetError:
        return b""
