"""Hosts for tests: processes that serve this machine as one, each at an address of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from tests.runtime.field.machine import pause

_HOST = """
import logging, sys
logging.basicConfig(level=logging.INFO, format="%(message)s")
from runtime.actor import run_worker_loop_forever
ca, key = (text or None for text in sys.argv[2:4])
run_worker_loop_forever(ca=ca, private_key=key, address=sys.argv[1])
"""
TRUST = "trust_all_connections"


class HostProcess:
    """One host, which runs `code` before. Port 0 becomes what the system chose, in `address`."""

    def __init__(  # noqa: PLR0913 - what a test may choose
        self,
        address: str,
        *,
        ca: str = TRUST,
        private_key: str = "",
        environment: Mapping[str, str] | None = None,
        before: Sequence[str] = (),
        code: str = "",
    ) -> None:
        command = [*before, sys.executable, "-c", code + _HOST, address, ca, private_key]
        self.process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        self.said: list[str] = []
        self.address = self.wait_for("listens at").rpartition(" ")[2]

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    def wait_for(self, text: str) -> str:
        """Return the next line of its log with this text; AssertionError when it has ended."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            if text in line:
                return line.rstrip()
        raise AssertionError(f"the host has ended and said: {self.said}")

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait(10)

    def pause(self) -> None:
        """Have it give no sign of life, and answer nothing."""
        pause(self.pid)

    def close(self) -> None:
        """End it, whatever state it is in."""
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait(10)
        assert self.process.stderr is not None
        self.process.stderr.close()
