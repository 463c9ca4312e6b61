"""The mark that descendants cannot lose: who carries it, who is found, who is killed."""

import os
import resource
import select
import subprocess
import sys
from collections.abc import Iterator

import pytest

from runtime.actor.launch import marks

RTTIME = resource.RLIMIT_RTTIME
MARKED = (
    "import sys; from runtime.actor.launch import marks; import subprocess; "
    "assert marks.put(int(sys.argv[1]), 7); "
    "p = subprocess.Popen(['sleep', '600'], env={'PATH': '/usr/bin:/bin'}, start_new_session=True,"
    " stdout=subprocess.DEVNULL,"
    " stderr=subprocess.DEVNULL); print(p.pid, flush=True)"
)


@pytest.fixture
def run() -> int:
    return marks.new_run()


@pytest.fixture
def orphan(run: int) -> Iterator[int]:
    """Give a process whose marked parent has ended, and that kept nothing of it."""
    done = subprocess.run(
        [sys.executable, "-c", MARKED, str(run)], check=True, capture_output=True, timeout=50
    )
    yield int(done.stdout)
    marks.kill(run)


def test_read_when_the_process_is_an_orphan_without_environment(run: int, orphan: int) -> None:
    assert marks.read(orphan) == (run, 7)


def test_find_when_others_are_marked(run: int, orphan: int) -> None:
    assert marks.find(run) == [orphan]
    assert marks.find(run, 7) == [orphan]
    assert marks.find(run, 8) == []
    assert marks.find(run ^ 1) == []


def test_kill_when_a_process_is_marked(run: int, orphan: int) -> None:
    held = os.pidfd_open(orphan)
    assert marks.kill(run, 8) == 0
    assert marks.kill(run, 7) == 1
    assert select.select([held], [], [], 20)[0]
    os.close(held)


def test_read_when_a_process_is_not_marked() -> None:
    assert marks.read(os.getpid()) is None
    assert marks.read(2**22 + 1) is None


def test_new_run_when_called_often() -> None:
    runs = {marks.new_run() for _ in range(1000)}
    assert len(runs) == 1000
    assert max(runs) < 2**30


def test_put_when_the_hard_limit_is_finite() -> None:
    code = (
        "import resource; from runtime.actor.launch import marks; "
        "resource.setrlimit(resource.RLIMIT_RTTIME, (10**6, 10**6)); "
        "print(marks.put(1, 1), marks.read(__import__('os').getpid()))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False None\n"
