"""What a command started ends with the process that ran it, SIGKILL included."""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
RUNS = """\
import os, sys
from pathlib import Path
from porting.processes import run
run(("sh", "-c", sys.argv[1]), Path.cwd(), os.environ, 600.0)
"""
# As ninja and daemons do: a process group and a session of their own, below a parent that waits.
STARTS = "setsid sh -c 'sleep 600 & echo $! > child; echo ready > pipe; wait' & wait"


def test_what_a_command_started_when_the_run_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    words = [sys.executable, "-c", RUNS, STARTS]
    runs = subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(REPOSITORY)})
    assert (tmp_path / "pipe").read_text() == "ready\n"
    child = os.pidfd_open(int((tmp_path / "child").read_text()))
    try:
        runs.kill()
        runs.wait()
        ended, _, _ = select.select([child], [], [], 20)
        assert ended == [child]
    finally:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(child, signal.SIGKILL)
        os.close(child)
