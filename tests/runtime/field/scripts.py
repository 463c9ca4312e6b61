"""Controllers in processes of their own, for the field cases and for tests of endings."""

import ast
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


class Script:
    """A Python program that runs; `out` is what it has printed, of both streams."""

    def __init__(
        self, source: str, env: Mapping[str, str] | None = None, before: Sequence[str] = ()
    ) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".py", prefix="script_", delete=False) as file:
            file.write(source)
        self.path = file.name
        self.process = subprocess.Popen(
            [*before, sys.executable, self.path],
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process."""
        return self.process.pid

    @property
    def rc(self) -> int | None:
        """How it has ended, None while it runs."""
        return self.process.poll()

    @property
    def out(self) -> str:
        """What it has printed so far."""
        with self._changed:
            return "".join(self._lines)

    def wait(self, timeout: float) -> int:
        """Wait for its end; return its status."""
        return self.process.wait(timeout)

    def finish(self, timeout: float) -> int:
        """Wait for its end and for that of everybody who has its output; return its status."""
        status = self.process.wait(timeout)
        self._reader.join(timeout)
        assert not self._reader.is_alive(), f"somebody holds the output open: {self.out}"
        return status

    def send(self, number: int) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def marker(self, word: str, timeout: float) -> Any:  # noqa: ANN401 - what the script prints
        """Return the literal that it prints after a word."""
        end = time.monotonic() + timeout
        with self._changed:
            while True:
                for line in self._lines:
                    if line.startswith(f"{word} "):
                        return ast.literal_eval(line[len(word) :].strip())
                left = end - time.monotonic()
                if left <= 0 or self._ended:
                    raise TimeoutError(f"no {word} in {''.join(self._lines)!r}")
                self._changed.wait(left)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self._lines.append(line.decode(errors="replace"))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait(30)
        self._reader.join(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        Path(self.path).unlink(missing_ok=True)


def script(source: str, env: Mapping[str, str] | None = None) -> Script:
    """Start a controller with `rt` and `raise_in_actor` in scope."""
    scope = "from tests.runtime.field import rig as rt\nraise_in_actor = rt.raise_in_actor\n"
    return Script(f"{scope}{source}", env)
