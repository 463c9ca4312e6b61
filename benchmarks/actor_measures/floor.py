"""Time a bare round trip between two processes, in C++ and in Python: the limit for any actor."""

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from .side import Outcome

_SOURCE = Path(__file__).with_name("floor.cpp")
_MESSAGE = b"x" * 64
_WARM = 1000


def floors(rounds: int, repeats: int) -> Outcome:
    """Return the medians of what could be measured, in seconds.

    Two processes on two CPUs wake each other by an interrupt; with both on one CPU (`one CPU`)
    only the switch is left.
    """
    runs = [_named("floor Python", python_floor(rounds)) for _ in range(repeats)]
    compiler = shutil.which("c++")
    if compiler is None:
        return Outcome(_medians(runs), "no C++ compiler (c++) is on PATH")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "floor"
        compiled = _run([compiler, "-std=c++20", "-O2", "-o", str(program), str(_SOURCE)])
        if compiled.returncode:
            return Outcome(_medians(runs), f"c++ failed: {compiled.stderr.strip()[-200:]}")
        for name, more in (("floor C++", []), ("floor C++ one CPU", ["one-cpu"])) * repeats:
            done = _run([str(program), str(rounds), *more])
            if done.returncode:
                return Outcome(_medians(runs), f"{name} ended with status {done.returncode}")
            runs.append(_named(name, [float(word) for word in done.stdout.split()]))
    return Outcome(_medians(runs))


def _named(name: str, percentiles: Sequence[float]) -> dict[str, float]:
    return dict(zip((f"{name} p50", f"{name} p99"), percentiles, strict=True))


def _medians(runs: list[dict[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for run in runs for name in run)
    return {name: statistics.median(run[name] for run in runs if name in run) for name in names}


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


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
