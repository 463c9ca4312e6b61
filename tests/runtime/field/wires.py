"""Wires between parties that can be cut: a process of its own that passes bytes on, or does not.

python -m tests.runtime.field.wires PIDS PORTS. PORTS are where the hosts listen, PIDS the parties:
the controller and the hosts. It prints the ports at which each host is reached through it, then
takes lines: "cut A B", "heal A B", for parties by their number. What is cut gives no sign: bytes
wait, as packets would that are sent again and again.
"""

import contextlib
import json
import os
import selectors
import socket
import sys
import time
from pathlib import Path

_CHUNK = 1 << 16
_LOOK = 1.0
_SECONDS = 2.0


class Wire:
    """One connection, from the party that dialled to the host that it wanted."""

    def __init__(self, near: socket.socket, port: int, ends: frozenset[int]) -> None:
        self.ends = ends
        self.near = near
        self.far = socket.create_connection(("127.0.0.1", port))
        self.waiting: dict[socket.socket, bytes] = {self.near: b"", self.far: b""}

    def other(self, end: socket.socket) -> socket.socket:
        """Return the other end."""
        return self.far if end is self.near else self.near


class Wires:
    """All of them, and which are cut."""

    def __init__(self, pids: list[int], ports: list[int]) -> None:
        self._pids = pids
        self._ports = ports
        self._cut: set[frozenset[int]] = set()
        self._wires: list[Wire] = []
        self._look = selectors.DefaultSelector()
        self._listeners = [socket.create_server(("127.0.0.1", 0)) for _ in ports]

    def serve(self) -> None:
        """Pass bytes on until nobody gives orders any more."""
        print(json.dumps([each.getsockname()[1] for each in self._listeners]), flush=True)  # noqa: T201
        for number, listener in enumerate(self._listeners):
            self._look.register(listener, selectors.EVENT_READ, number)
        self._look.register(sys.stdin, selectors.EVENT_READ, "orders")
        while True:
            for key, events in self._look.select(_LOOK):
                if key.data == "orders":
                    line = sys.stdin.readline()
                    if not line:
                        return
                    self._order(*line.split())
                elif isinstance(key.data, int):
                    self._accept(key.data)
                elif isinstance(key.fileobj, socket.socket):
                    self._move(key.data, key.fileobj, events)

    def _order(self, word: str, one: str, other: str) -> None:
        ends = frozenset((int(one), int(other)))
        if word == "cut":
            self._cut.add(ends)
        else:
            self._cut.discard(ends)
        for wire in self._wires:
            self._watch(wire)
        print("done", flush=True)  # noqa: T201

    def _accept(self, number: int) -> None:
        near, address = self._listeners[number].accept()
        party = self._party_at(address[1])
        try:
            wire = Wire(near, self._ports[number], frozenset((party, number + 1)))
        except OSError:
            near.close()
            return
        self._wires.append(wire)
        for end in wire.waiting:
            end.settimeout(0)
        self._watch(wire)

    def _watch(self, wire: Wire) -> None:
        """Look at what can move: nothing, when the wire is cut."""
        for end in wire.waiting:
            wanted = 0
            if wire.ends not in self._cut:
                wanted |= selectors.EVENT_READ if not wire.waiting[wire.other(end)] else 0
                wanted |= selectors.EVENT_WRITE if wire.waiting[end] else 0
            if end in self._look.get_map():
                self._look.unregister(end)
            if wanted:
                self._look.register(end, wanted, wire)

    def _move(self, wire: Wire, end: socket.socket, events: int) -> None:
        if wire not in self._wires or wire.ends in self._cut:
            return
        other = wire.other(end)
        try:
            if events & selectors.EVENT_WRITE and wire.waiting[end]:
                sent = end.send(wire.waiting[end])
                wire.waiting[end] = wire.waiting[end][sent:]
            if events & selectors.EVENT_READ and not wire.waiting[other]:
                wire.waiting[other] = end.recv(_CHUNK)
                if not wire.waiting[other]:
                    self._end(wire)
                    return
        except BlockingIOError:
            pass
        except OSError:
            self._end(wire)
            return
        self._watch(wire)

    def _end(self, wire: Wire) -> None:
        self._wires.remove(wire)
        for end in wire.waiting:
            if end in self._look.get_map():
                self._look.unregister(end)
            end.close()

    def _party_at(self, port: int) -> int:
        """Return whose end of a connection this is."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            inode = _inode_of(port)
            for number, pid in enumerate(self._pids):
                if inode and f"socket:[{inode}]" in _open_by(pid):
                    return number
        return 0


def _inode_of(port: int) -> str:
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    found = [row.split() for row in rows]
    return next((each[9] for each in found if int(each[1].rpartition(":")[2], 16) == port), "")


def _open_by(pid: int) -> set[str]:
    files: set[str] = set()
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208 - closed ones are passed over
            with contextlib.suppress(OSError):
                files.add(os.readlink(f"/proc/{pid}/fd/{name}"))  # noqa: PTH115
    return files


if __name__ == "__main__":
    Wires(json.loads(sys.argv[1]), json.loads(sys.argv[2])).serve()
