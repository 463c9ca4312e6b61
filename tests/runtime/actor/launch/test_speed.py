"""How long processes take to be there and to be known to be gone, in real time."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]
Host = Any  # of conftest.py, which is no module of a package


def test_start_when_sixteen_are_asked_for(new_host: Callable[..., Host]) -> None:
    seconds = []
    for _ in range(5):
        begun = time.perf_counter()
        host = new_host(preload=["launch_mains"])  # as what every process needs is
        nodes = [host.start("wait") for _ in range(16)]
        for node in nodes:
            node.hears()
        seconds.append(time.perf_counter() - begun)
        host.launcher.close(0)
    assert min(seconds) < 0.150


def test_exit_when_processes_are_killed(host: Host) -> None:
    nodes = [host.start("wait") for _ in range(100)]
    pids = [node.hears()["pid"] for node in nodes]
    seconds = []
    for node, pid in zip(nodes, pids, strict=True):
        begun = time.perf_counter()
        os.kill(pid, signal.SIGKILL)
        host.exit_of(node)
        seconds.append(time.perf_counter() - begun)
    seconds.sort()
    assert seconds[50] < 0.005
    assert seconds[97] < 0.050
