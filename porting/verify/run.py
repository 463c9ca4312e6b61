"""Run compilers from several threads: with a time limit, and without leaving one behind."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from porting.processes import Guarded, Ran


class Runner:
    """Runs compilers from several threads; `stop` ends all that are running.

    `scratch` takes the temporary files of killed compilers too.
    """

    def __init__(self, timeout: float, scratch: Path) -> None:
        self._timeout = timeout
        self._environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(scratch)}
        self._running: set[Guarded] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, command: Sequence[str], folder: Path) -> Ran:
        """Run a command in `folder` to its end or to the time limit.  Raises OSError."""
        guarded = Guarded(command, folder, self._environment)
        with self._lock:
            self._running.add(guarded)
            stopped = self._stopped
        if stopped:
            guarded.stop()
        try:
            return guarded.finish(self._timeout)
        finally:
            with self._lock:
                self._running.discard(guarded)

    def stop(self) -> None:
        """End every running command; later ones end at once."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for guarded in running:
            guarded.stop()
