"""Run compilers: with a time limit, and without leaving one behind."""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Done:
    """A finished run: exit code (negative: the signal), standard error, whether time ran out."""

    code: int
    errors: str
    timed_out: bool = False


class Runner:
    """Runs compilers from several threads; `stop` ends all that are running.

    `scratch` takes the temporary files of killed compilers too.
    """

    def __init__(self, timeout: float, scratch: Path) -> None:
        self._timeout = timeout
        self._scratch = scratch
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, command: Sequence[str], folder: Path) -> Done:
        """Run a command in `folder` to its end or to the time limit."""
        # A session of its own: the driver's children end with it, and Ctrl-C is ours to handle.
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "LC_ALL": "C", "TMPDIR": str(self._scratch)},
        )
        with self._lock:
            self._running.add(process)
            stopped = self._stopped
        if stopped:
            _kill(process)
        try:
            _, text = process.communicate(timeout=self._timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.communicate()
            return Done(-signal.SIGKILL, "", timed_out=True)
        finally:
            with self._lock:
                self._running.discard(process)
        return Done(process.returncode, text.decode("utf-8", "replace"))

    def stop(self) -> None:
        """End every running command; later ones end at once."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
