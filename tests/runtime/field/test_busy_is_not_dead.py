"""Who is busy is not dead, a step of the wall clock is no timeout, and who is stopped is found."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.runtime.field.rig import Actor, Timeout, endpoint
from tests.runtime.field.run import environment_with_clock


class Worker(Actor):
    """Keeps its process busy."""

    @endpoint
    def burns(self, seconds: float) -> int:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass
        return 1

    @endpoint
    def holds_the_interpreter(self) -> int:
        sys.set_int_max_str_digits(0)
        return len(str(7**600_000))


def check(rt: Any) -> None:
    """Run the case; in a process whose wall clock can be stepped."""
    with rt.mesh(2, heartbeat_interval=0.5, heartbeat_timeout=3.0) as mesh:
        group = mesh.spawn(Worker)
        stopped = group[1].pid
        assert group.call_all("burns", 15) == [1, 1]
        group[0].call("holds_the_interpreter", timeout=120)
        end = time.monotonic() + 10
        while time.monotonic() < end:  # now the controller is busy
            pass
        time.sleep(4)
        assert rt.events() == []
        for offset in (3600, -3600):
            rt.faults.wall_clock(offset)
            assert abs(time.time() - _true_time() - offset) < 5  # the fault is there
            time.sleep(5)
            assert rt.events() == []
            before = time.monotonic()
            try:
                group[0].call("burns", 20, timeout=2.0)
            except Timeout:
                assert 1.9 <= time.monotonic() - before < 3.0
            else:
                raise AssertionError("no timeout")
            time.sleep(19)
        rt.faults.wall_clock(0)
        before = time.monotonic()
        rt.faults.pause(stopped)
        while not rt.events() and time.monotonic() - before < 12:
            time.sleep(0.05)
        assert 2.5 <= time.monotonic() - before <= 7
        assert [event.kind for event in rt.events()] == ["heartbeat"]


def _true_time() -> float:
    """Return the machine's time, as another process without the fault sees it."""
    clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    told = subprocess.run(["date", "+%s"], env=clean, capture_output=True, text=True, check=True)
    return float(told.stdout)


def test_processes_when_they_are_busy(tmp_path: Path) -> None:
    environment = {**os.environ, **environment_with_clock(tmp_path)}
    command = [sys.executable, "-m", "tests.runtime.field.run", "--one", __file__]
    done = subprocess.run(
        command, env=environment, check=False, timeout=290, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
