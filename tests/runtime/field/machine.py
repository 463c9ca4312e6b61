"""What the machine says of processes, for the field cases."""

import os
import signal
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

_LISTENS = "0A"


class Machine:
    """What the machine says of processes."""

    def alive(self, pids: list[int]) -> list[int]:
        """Return those that still run."""
        return [pid for pid in pids if _state(pid) not in ("", "Z", "X")]

    def zombies(self, pid: int) -> list[int]:
        """Return the descendants that nobody has waited for."""
        return [child for child in self.children(pid) if _state(child) == "Z"]

    def children(self, pid: int) -> list[int]:
        """Return all descendants."""
        parents: dict[int, list[int]] = {}
        for each in map(int, filter(str.isdigit, os.listdir("/proc"))):  # noqa: PTH208
            parents.setdefault(_parent(each), []).append(each)
        found: list[int] = []
        left = [pid]
        while left:
            below = parents.get(left.pop(), [])
            found += below
            left += below
        return sorted(found)

    def rss(self, pid: int) -> int:
        """Return the bytes of memory that a process has in use."""
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE")

    def fds(self, pid: int) -> int:
        """Return how many descriptors a process has open."""
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))

    def listeners(self, pid: int) -> list[tuple[str, int]]:
        """Return the TCP addresses that a process listens on."""
        mine = set()
        with suppress(OSError):
            for fd in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    mine.add(str(fd.readlink()))
        rows = [row for name in ("tcp", "tcp6") for row in _rows(pid, name)]
        return [
            _address(row[1]) for row in rows if row[3] == _LISTENS and f"socket:[{row[9]}]" in mine
        ]


def _rows(pid: int, name: str) -> list[list[str]]:
    try:
        text = Path(f"/proc/{pid}/net/{name}").read_text()
    except OSError:
        return []
    return [line.split() for line in text.splitlines()[1:]]


def _address(text: str) -> tuple[str, int]:
    import socket

    number, _, port = text.partition(":")
    words = [int(number[i : i + 8], 16) for i in range(0, len(number), 8)]
    packed = b"".join(struct.pack("=I", word) for word in words)
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    return socket.inet_ntop(family, packed), int(port, 16)


def pause(pid: int) -> None:
    """Stop a process, and wait until it is: it may answer what comes before that."""
    os.kill(pid, signal.SIGSTOP)
    while _state(pid) not in {"T", "t", "Z", "X", ""}:
        time.sleep(0.001)


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["", "0"]


def _state(pid: int) -> str:
    return _stat(pid)[0]


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


assert sys.platform == "linux"
