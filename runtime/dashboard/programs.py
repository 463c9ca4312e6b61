"""The running programs of this user, and what each of them answers."""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.telemetry import places, processes

#: Of the JSON that `status` returns; it changes when something is renamed or goes.
VERSION = 1
_MARGIN = 1.0  # seconds that a program may take beyond what it was given
_PIECE = 1 << 16


@dataclass(frozen=True)
class Found:
    """The socket of a program."""

    pid: int
    folder: str
    name: str


def find(kind: str = "sock") -> list[Found]:
    """Return the programs of this user that run; sockets that dead ones left are removed.

    `kind` debug finds those of their debuggers.
    """
    found = []
    for folder in places.folders():
        with suppress(OSError):
            fd = places.open_private(folder, make=False)
            try:
                found += [Found(pid, folder, name) for pid, name in places.sockets(fd, kind)]
            finally:
                os.close(fd)
    return found


def status(programs: list[Found], timeout: float) -> dict[str, Any]:
    """Ask programs what they do; each has `timeout` seconds."""
    return {"version": VERSION, "programs": [ask(program, timeout) for program in programs]}


def ask(program: Found, timeout: float) -> dict[str, Any]:
    """Return what a program answers, or what is known of one that does not."""
    try:
        told = _told(program, timeout)
    except TimeoutError:
        return _silent(program, f"no answer in {timeout:g} s: {_why(program.pid)}")
    except (OSError, ValueError) as error:
        return _silent(program, f"no answer: {error}")
    if told.get("version") != VERSION:
        found = told.get("version")
        text = f"it answers in version {found} and this is {VERSION}; look with its own eclosion"
        return _silent(program, text)
    return told | {"answered": True, "problem": ""}


def _told(program: Found, timeout: float) -> dict[str, Any]:
    end = time.monotonic() + timeout + _MARGIN
    with socket.socket(socket.AF_UNIX) as connection:
        fd = places.open_private(program.folder, make=False)
        try:
            connection.settimeout(timeout + _MARGIN)
            connection.connect(places.path_of(fd, program.name))
        finally:
            os.close(fd)
        places.expect(connection, program.pid)
        connection.sendall(json.dumps({"timeout": timeout}).encode())
        parts = []
        while True:
            connection.settimeout(max(0.001, end - time.monotonic()))
            part = connection.recv(_PIECE)
            if not part:
                break
            parts.append(part)
    told = json.loads(b"".join(parts))
    if not isinstance(told, dict):
        raise ValueError("its answer is no object")  # noqa: TRY004 - of JSON
    return told


def _silent(program: Found, problem: str) -> dict[str, Any]:
    pid = program.pid
    return {
        "pid": pid,
        "answered": False,
        "problem": problem,
        "command": processes.command(pid),
        "rss": processes.rss(pid),
        "uptime": processes.uptime(pid),
        "hosts": [],
        "failures": [],
    }


def _why(pid: int) -> str:
    """Return the likely reason for a silence."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "it has ended"
    if state in "tT":
        return "it is stopped (SIGCONT lets it go on)"
    return "something in it holds the interpreter's lock and does not let go"
