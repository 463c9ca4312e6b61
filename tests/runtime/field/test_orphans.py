"""A controller that is killed leaves neither workers nor what they have started."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import signal
import time
from typing import Any

import pytest

SOURCE = """
import os, subprocess, time
class Parent(rt.Actor):
    def __init__(self):
        self.child = subprocess.Popen(["sleep", "3600"])
    @rt.endpoint
    def both(self):
        return os.getpid(), self.child.pid
group = rt.mesh(4).spawn(Parent)
print("PIDS", [pid for pair in group.call_all("both") for pid in pair], flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", ["kill", "kill group", "terminate"])
def test_processes_when_the_controller_is_gone(rt: Any, how: str) -> None:
    script = rt.script(SOURCE)
    pids = script.marker("PIDS", 60)
    assert len({*pids}) == 8
    if how == "kill group":
        os.killpg(script.pid, signal.SIGKILL)
    else:
        script.send(signal.SIGKILL if how == "kill" else signal.SIGTERM)
    end = time.monotonic() + 10
    while rt.os.alive(pids) and time.monotonic() < end:
        time.sleep(0.1)
    assert rt.os.alive(pids) == []
    script.close()
