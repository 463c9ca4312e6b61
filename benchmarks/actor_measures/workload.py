"""Run one measure with one package and print its figures as lines of JSON.

    ACTOR_PACKAGE=runtime.actor python -m actor_measures.workload MEASURE [--quick]

The process is a client like a user's; the processes of its meshes are started by the package.
"""

import argparse
import contextlib
import importlib
import json
import os
import resource
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .process_tree import RUN_VARIABLE, members, proportional_bytes
from .side import SKIPPED, last_line

PATIENCE = 120.0
ARGUMENT = b"x" * 64
LARGE = 64 << 20
OUTSTANDING = 2000


@dataclass(frozen=True)
class Effort:
    """How often each thing is done; `kills` by meshes of `kill_procs` processes each."""

    calls: int = 5000
    bursts: int = 5
    calls_to_8: int = 300
    calls_to_32: int = 100
    large: int = 10
    interpreters: int = 12
    kills: int = 200
    kill_procs: int = 8
    # Seconds of which each kill waits a random part. A side that looks for the dead at intervals
    # would otherwise have every kill at the same moment between two looks.
    kill_spread: float = 0.0


FULL = Effort()
QUICK = Effort(500, 2, 50, 20, 3, 4, 16)
# The peer looks for dead processes every 10 s, and tells of one death per mesh.
_POLLED: dict[str, Any] = {"kills": 5, "kill_procs": 1, "kill_spread": 10.0}
_POLLED_QUICK = _POLLED | {"kills": 1}


def report(figure: str, value: float) -> None:
    """Print one figure, in seconds, bytes, calls per second, or a count."""
    print(json.dumps({"figure": figure, "value": value}), flush=True)


def percentile(values: list[float], share: float) -> float:
    """Return the value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def seconds(work: Callable[[], object], times: int, warm: int) -> list[float]:
    """Return how long each of the runs took, after some that do not count."""
    for _ in range(warm):
        work()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return taken


def spawn(procs: int) -> tuple[Any, Any]:
    """Start a mesh of processes with the actor on each; return both meshes once all answer."""
    from .echo import Echo, api

    mesh = api.this_host().spawn_procs(per_host={"procs": procs})
    echo = mesh.spawn("echo", Echo)
    echo.echo.call(ARGUMENT).get(timeout=PATIENCE)
    return mesh, echo


def needed(module: str) -> Any:  # noqa: ANN401
    """Return a module that a measure is about; without it there is nothing to measure."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        print(f"{sys.executable} has no {module}", file=sys.stderr)
        sys.exit(SKIPPED)


def latency(effort: Effort) -> None:
    """Call one actor and wait, again and again."""
    _, echo = spawn(1)
    taken = seconds(lambda: echo.echo.call_one(ARGUMENT).get(timeout=PATIENCE), effort.calls, 500)
    report("call_one p50", percentile(taken, 0.50))
    report("call_one p99", percentile(taken, 0.99))


def outstanding(effort: Effort) -> None:
    """Send many calls to one actor before waiting for the first answer."""
    _, echo = spawn(1)

    def burst() -> None:
        calls = [echo.echo.call_one(ARGUMENT) for _ in range(OUTSTANDING)]
        for call in calls:
            call.get(timeout=PATIENCE)

    taken = seconds(burst, effort.bursts, 1)
    report("outstanding", OUTSTANDING / statistics.median(taken))


def fan_out(procs: int, calls: int) -> None:
    """Call all actors of a mesh, one a process, and wait for all answers."""
    _, echo = spawn(procs)
    taken = seconds(lambda: echo.echo.call(ARGUMENT).get(timeout=PATIENCE), calls, 10)
    report(f"call to {procs}", percentile(taken, 0.50))


def large(value: object, kind: str, effort: Effort) -> None:
    """Send a large argument, of which the actor reads a byte of every page."""
    _, echo = spawn(1)
    taken = seconds(lambda: echo.look.call_one(value).get(timeout=PATIENCE), effort.large, 2)
    report(f"large {kind}", statistics.median(taken))


def large_bytes(effort: Effort) -> None:
    """Send bytes."""
    large(bytes(LARGE), "bytes", effort)


def large_tensor(effort: Effort) -> None:
    """Send a tensor of torch in CPU memory."""
    torch = needed("torch")
    large(torch.ones(LARGE, dtype=torch.uint8), "tensor", effort)


def large_array(effort: Effort) -> None:
    """Send an array of numpy."""
    numpy = needed("numpy")
    large(numpy.ones(LARGE, dtype=numpy.uint8), "array", effort)


def start(procs: int) -> None:
    """Time a program's first mesh until all of it has answered, then its second."""
    for figure in (f"start {procs}", f"start {procs} again"):
        begun = time.perf_counter()
        mesh, _ = spawn(procs)
        report(figure, time.perf_counter() - begun)
        mesh.stop().get(timeout=PATIENCE)


def kill(effort: Effort) -> None:
    """Time from a SIGKILL of a process until the call that it was working on fails."""
    import random

    from . import echo

    echo.api.unhandled_fault_hook = lambda _failure: None
    chance = random.Random(effort.kills)  # noqa: S311 # moments, not secrets
    taken: list[float] = []
    while len(taken) < effort.kills:
        mesh, actors = spawn(effort.kill_procs)
        pids = list(actors.pid.call().get(timeout=PATIENCE).values())
        for rank, pid in enumerate(pids[: effort.kills - len(taken)]):
            wait = chance.uniform(0, effort.kill_spread)
            taken.append(_killed(actors.slice(procs=rank), pid, wait))
        with contextlib.suppress(Exception):  # of a mesh without living processes
            mesh.stop().get(timeout=1)
    report("kill p50", percentile(taken, 0.50))
    report("kill p99", percentile(taken, 0.99))
    report("kills", len(taken))


def _killed(actor: Any, pid: int, wait: float) -> float:  # noqa: ANN401
    with tempfile.TemporaryDirectory() as folder:
        fifo = Path(folder) / "started"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        try:
            call = actor.hold.call_one(str(fifo))
            if not select.select([reader], [], [], PATIENCE)[0]:
                raise TimeoutError(f"a call was not begun in {PATIENCE:g} s")
        finally:
            os.close(reader)
    time.sleep(wait)
    begun = time.perf_counter()
    os.kill(pid, signal.SIGKILL)
    try:
        call.get(timeout=PATIENCE)
    except TimeoutError:
        raise
    except Exception:  # noqa: BLE001 # each package has an exception of its own for this
        return time.perf_counter() - begun
    raise RuntimeError("a call to a killed process was answered")


def memory(procs: int) -> None:
    """Sum the memory of a mesh's processes, of their keepers and of this client."""
    _, echo = spawn(procs)
    for _ in range(20):
        echo.echo.call(ARGUMENT).get(timeout=PATIENCE)
    pids = members(os.environ[RUN_VARIABLE])
    report("memory", proportional_bytes(pids))
    report("processes", len(pids))


def imports(effort: Effort) -> None:
    """Compare interpreters that import the package with ones that import nothing."""
    package = os.environ["ACTOR_PACKAGE"]
    code = f"from {package} import Actor"
    costs: dict[str, list[tuple[float, float]]] = {"pass": [], code: []}
    for _ in range(effort.interpreters):
        for program, seen in costs.items():
            seen.append(_interpreter(program))
    bare, full = (tuple(map(statistics.median, zip(*seen, strict=True))) for seen in costs.values())
    report("import wall", full[0] - bare[0])
    report("import CPU", full[1] - bare[1])
    code += "; import sys; print(sum(m.split('.')[0] == 'torch' for m in sys.modules))"
    report("torch modules", int(_python(code)))


def _python(code: str) -> str:
    """Return what an interpreter prints that runs this code; a failure has its last line."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"`{code}`: {last_line(done.stderr)}")
    return done.stdout


def _interpreter(code: str) -> tuple[float, float]:
    """Return the wall and the CPU seconds of an interpreter that runs this code."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _python(code)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


MEASURES: dict[str, Callable[[Effort], None]] = {
    "latency": latency,
    "outstanding": outstanding,
    "call8": lambda effort: fan_out(8, effort.calls_to_8),
    "call32": lambda effort: fan_out(32, effort.calls_to_32),
    "bytes": large_bytes,
    "tensor": large_tensor,
    "array": large_array,
    "start4": lambda _effort: start(4),
    "start16": lambda _effort: start(16),
    "kill": kill,
    "memory": lambda _effort: memory(16),
    "import": imports,
}


def effort(*, quick: bool) -> Effort:
    """Return how much of everything this run does, by what its package can bear."""
    chosen = QUICK if quick else FULL
    if os.environ["ACTOR_PACKAGE"] == "monarch.actor":
        return replace(chosen, **(_POLLED_QUICK if quick else _POLLED))
    return chosen


@contextlib.contextmanager
def client() -> Iterator[None]:
    """End this process's part in the package when the measure is over."""
    yield
    if "actor_measures.echo" in sys.modules:
        sys.modules["actor_measures.echo"].api.shutdown_context().get(timeout=30)


def main() -> None:
    """Run the measure that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("measure", choices=MEASURES)
    parser.add_argument("--quick", action="store_true", help="fewer calls")
    given = parser.parse_args()
    with client():
        MEASURES[given.measure](effort(quick=given.quick))


if __name__ == "__main__":
    main()
