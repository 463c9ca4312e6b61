"""Run the commands of a build: with a time limit, and without leaving a process behind."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ran:
    """A finished command: exit code (negative: the signal), its output, whether time ran out."""

    code: int
    output: str
    timed_out: bool = False


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> Ran:
    """Run a command in `folder`; its children end with it.  Both outputs are one text."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            output, _ = process.communicate()
            return Ran(-signal.SIGKILL, output.decode("utf-8", "replace"), timed_out=True)
        except BaseException:
            _kill(process)
            raise
    return Ran(process.returncode, output.decode("utf-8", "replace"))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
