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

    OSError when the debugger cannot be reached.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        folder = places.open_private(program.folder, make=False)
        try:
            connection.connect(places.path_of(folder, program.name))
        finally:
            os.close(folder)
        places.expect(connection, program.pid)
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        poll.register(source, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                if fd == source:
                    typed = os.read(source, _PIECE)
                    if typed:
                        connection.sendall(typed)
                    else:
                        poll.unregister(source)
                        connection.shutdown(socket.SHUT_WR)
                else:
                    text = connection.recv(_PIECE)
                    if not text:
                        return
                    os.write(target, text)
