"""What a zygote tells of its children's ends, in whatever order they write, end and are reaped."""

import subprocess
import sys

_SCRIPT = """
import os
from runtime.actor.launch.family import Family, report_line

family = Family(12345)
held, release = os.pipe()
first = os.fork()
if first == 0:
    os.write(family.report, report_line(os.getpid(), "the folder is not there"))
    os.close(release)
    os.read(held, 1)
    os._exit(1)
family.add(1, first)
os.close(held)
second = os.fork()
if second == 0:
    os.close(release)
    os._exit(0)
family.add(2, second)
for pid in (second, first):
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    print([(event[1], event[-1]) for event in family.reap()])
    if pid == second:
        os.close(release)
"""


def test_report_when_another_child_ends_before_the_one_that_wrote_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.splitlines() == ["[(2, '')]", "[(1, 'the folder is not there')]"]
