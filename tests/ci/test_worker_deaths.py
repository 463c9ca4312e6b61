"""A run of the suite ends, and says what failed, whatever happens to its workers."""

import subprocess
import sys
from collections import OrderedDict
from pathlib import Path

from tests.scheduling import Groups

ROOT = Path(__file__).parents[2]
CONFTEST = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.scheduling import Groups
from tests.watchdog import Watchdog

def pytest_configure(config):
    config.pluginmanager.register(Watchdog(slack=2.0))

def pytest_xdist_make_scheduler(config, log):
    return Groups(config, log)
"""
DIES = """
import os
import pytest

@pytest.mark.parametrize("i", range(12))
def test_single(i):
    if i == 5:
        os._exit(3)

@pytest.mark.xdist_group("group")
@pytest.mark.parametrize("i", range(12))
def test_together(i):
    if i == 11:
        os._exit(3)
"""
HANGS = """
import ctypes
import signal
import pytest

@pytest.mark.parametrize("i", range(6))
def test_single(i):
    if i == 3:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        ctypes.PyDLL(None).sleep(1000)  # with the GIL
"""
ENDS_LATE = """
import atexit
import time

def test_one():
    atexit.register(time.sleep, 1000)

def test_two():
    pass
"""


def run(folder: Path, source: str) -> "subprocess.CompletedProcess[str]":
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(source)
    command = ["-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "--timeout", "1"]
    return subprocess.run(
        [sys.executable, *command, "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )


def test_a_worker_that_dies_fails_its_test_once_and_the_others_run(tmp_path: Path) -> None:
    done = run(tmp_path, DIES)
    assert done.returncode == 1
    assert "2 failed, 22 passed" in done.stdout
    assert "crashed while running 'test_it.py::test_single[5]'" in done.stdout
    assert "crashed while running 'test_it.py::test_together[11]@group'" in done.stdout
    assert "[gw0] status 3: " in done.stderr


def test_a_hang_that_no_signal_ends_fails_its_test_with_the_stack(tmp_path: Path) -> None:
    done = run(tmp_path, HANGS)
    assert done.returncode == 1
    assert "1 failed, 5 passed" in done.stdout
    assert "crashed while running 'test_it.py::test_single[3]'" in done.stdout
    assert "in test_single" in done.stderr


def test_a_worker_that_does_not_end_is_ended_and_its_tests_count(tmp_path: Path) -> None:
    done = run(tmp_path, ENDS_LATE)
    assert "2 passed" in done.stdout
    assert "Timeout (0:00:02)!" in done.stderr


class Closed:
    """A worker whose process has ended, which nobody has been told yet."""

    shutting_down = False

    def send_runtest_some(self, _indices: list[int]) -> None:
        raise OSError("cannot send (already closed?)")


def test_work_for_a_worker_that_has_died_unnoticed_is_put_back_with_it() -> None:  # GR-4
    groups, node = object.__new__(Groups), Closed()
    unit = OrderedDict({"test_a": False, "test_b": False})
    groups.workqueue = OrderedDict({"scope": unit})
    groups.assigned_work = {}
    groups.registered_collections = {node: ["test_a", "test_b"]}
    groups._assign_work_unit(node)
    assert groups.assigned_work == {node: {"scope": unit}}
    assert not groups.workqueue
