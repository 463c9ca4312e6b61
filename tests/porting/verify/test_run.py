"""Compilers that take too long, and those that are to end."""

import os
import select
import threading
from pathlib import Path

from porting.verify.run import Runner

# Starts a child that holds a pipe open, says so, and waits for it.
STUBBORN = "sleep 60 & echo $! > child; echo ready > pipe; wait"


def test_run_when_it_ends(tmp_path: Path) -> None:
    done = Runner(30, tmp_path).run(["sh", "-c", "pwd >&2; echo $TMPDIR >&2; exit 3"], tmp_path)
    assert (done.code, done.timed_out) == (3, False)
    assert done.output == f"{tmp_path}\n{tmp_path}\n"


def test_run_when_time_runs_out(tmp_path: Path) -> None:
    done = Runner(0.05, tmp_path).run(["sh", "-c", "sleep 60 & wait"], tmp_path)
    assert done.timed_out


def test_run_when_stopped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    runner = Runner(60, tmp_path)
    codes: list[int] = []
    command = ["sh", "-c", STUBBORN]
    thread = threading.Thread(target=lambda: codes.append(runner.run(command, tmp_path).code))
    thread.start()
    assert (tmp_path / "pipe").read_text() == "ready\n"
    child = os.pidfd_open(int((tmp_path / "child").read_text()))
    try:
        runner.stop()
        thread.join(timeout=30)
        assert codes == [-9]
        # The whole group got the signal, the driver's child too; it may take a moment to end.
        ended, _, _ = select.select([child], [], [], 30)
        assert ended == [child]
    finally:
        os.close(child)


def test_run_when_already_stopped(tmp_path: Path) -> None:
    runner = Runner(60, tmp_path)
    runner.stop()
    assert runner.run(["sleep", "60"], tmp_path).code == -9
