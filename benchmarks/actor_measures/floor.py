"""Time a bare round trip between two processes, in C++ and in Python: the limit for any actor."""

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .side import Outcome

_SOURCE = Path(__file__).with_name("floor.cpp")
_MESSAGE = b"x" * 64
_WARM = 1000


def floors(rounds: int) -> Outcome:
    """Return what could be measured of `floor C++` and `floor Python`, p50 and p99, in seconds."""
    figures = dict(zip(("floor Python p50", "floor Python p99"), python_floor(rounds), strict=True))
    compiler = shutil.which("c++")
    if compiler is None:
        return Outcome(figures, "no C++ compiler (c++) is on PATH")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "floor"
        compiled = subprocess.run(
            [compiler, "-std=c++20", "-O2", "-o", str(program), str(_SOURCE)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if compiled.returncode:
            return Outcome(figures, f"c++ failed: {compiled.stderr.strip()[-200:]}")
        done = subprocess.run(
            [program, str(rounds)], capture_output=True, text=True, check=True, timeout=120
        )
    for name, value in zip(("floor C++ p50", "floor C++ p99"), done.stdout.split(), strict=True):
        figures[name] = float(value)
    return Outcome(figures)


def python_floor(rounds: int) -> tuple[float, float]:
    """Return p50 and p99 of the round trip between this interpreter and another, in seconds."""
    ours, theirs = socket.socketpair()
    with ours:
        echo = "import socket, sys; s = socket.socket(fileno=int(sys.argv[1]))\n"
        echo += "while m := s.recv(64, socket.MSG_WAITALL): s.sendall(m)"
        fd = theirs.fileno()
        child = subprocess.Popen([sys.executable, "-c", echo, str(fd)], pass_fds=[fd])
        theirs.close()
        taken = sorted([_round_trip(ours) for _ in range(_WARM + rounds)][_WARM:])
    child.wait(timeout=30)
    return taken[len(taken) // 2], taken[len(taken) * 99 // 100]


def _round_trip(end: socket.socket) -> float:
    begun = time.perf_counter()
    end.sendall(_MESSAGE)
    if len(end.recv(64, socket.MSG_WAITALL)) != len(_MESSAGE):
        raise EOFError("the interpreter at the other end of the floor's socket is gone")
    return time.perf_counter() - begun
