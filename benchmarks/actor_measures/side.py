"""Run one measure of one side in a process of its own, and never leave a process behind."""

import json
import os
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .process_tree import RUN_VARIABLE, left_behind

_BENCHMARKS = Path(__file__).resolve().parent.parent
_GRACE = 2.0
SKIPPED = 77  # the exit status that test runners use for it


@dataclass(frozen=True)
class Outcome:
    """The figures of one run; `reason` says why some or all are missing.

    `skipped`: the side lacks what the measure is about (torch, numpy), which is no fault of it.
    `left`: how many processes were still alive two seconds after the client's end.
    """

    figures: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    left: int = 0
    skipped: bool = False


@dataclass(frozen=True)
class Side:
    """A package, and the interpreter that has it; `missing` says why there is none."""

    name: str
    package: str
    python: Path
    missing: str = ""

    def run(self, measure: str, *, quick: bool, timeout: float) -> Outcome:
        """Return the figures that a fresh client of this side prints for the measure."""
        if self.missing:
            return Outcome(reason=self.missing)
        run = uuid.uuid4().hex
        command = [str(self.python), "-m", "actor_measures.workload", measure]
        command += ["--quick"] if quick else []
        environment = os.environ | {
            "ACTOR_PACKAGE": self.package,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(_BENCHMARKS), _python_path()))),
            RUN_VARIABLE: run,
        }
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder) / "out", Path(folder) / "err"
            try:
                status = _wait(command, environment, (out, err), timeout)
            finally:
                left = len(left_behind(run, _GRACE))
            figures = parse(out.read_text(errors="replace"))
            said = last_line(err.read_text(errors="replace"))
        return Outcome(figures, reason(status, said, timeout), left, status == SKIPPED)


def _python_path() -> str:
    return os.environ.get("PYTHONPATH", "")


def parse(text: str) -> dict[str, float]:
    """Return the figures among the lines of a client's output; the rest is not ours."""
    figures = {}
    for line in text.splitlines():
        if line.startswith('{"figure"'):
            told = json.loads(line)
            figures[str(told["figure"])] = float(told["value"])
    return figures


def reason(status: int | None, said: str, timeout: float) -> str:
    """Return why a client did not end well, or nothing; `status` is None after the timeout."""
    if status is None:
        return f"no end after {timeout:g} s"
    if status == 0:
        return ""
    if status == SKIPPED:
        return said
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return f"{how}: {said}" if said else how


def last_line(text: str) -> str:
    """Return the end of what a failed client said, which names the exception."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else ""


def _wait(
    command: list[str], environment: dict[str, str], outputs: tuple[Path, Path], timeout: float
) -> int | None:
    """Return the client's exit status, or None when its time was over.

    Its outputs are files: a pipe that a process left behind holds open would never end.
    """
    with outputs[0].open("w") as out, outputs[1].open("w") as err:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment,
            cwd=outputs[0].parent,
            start_new_session=True,
        )
    try:
        return child.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
