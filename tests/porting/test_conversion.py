"""Many files at once give what one at a time gives.

Workers are forked only from a process with one thread, so these tests run in a process of their
own: a worker of pytest-xdist has several.
"""

import json
import subprocess
import sys
import threading
from textwrap import dedent
from typing import Any

import pytest

from porting import conversion
from porting.config import Target
from porting.conversion import Conversion
from porting.mapping import Names
from porting.rules import Project
from porting.source import SourceFile

_PRELUDE = """
import json, os, multiprocessing
from porting import conversion
from porting.config import Target
from porting.conversion import Conversion
from porting.errors import PortingError
from porting.mapping import Names
from porting.rules import Project
from porting.source import SourceFile

conversion._WORTH_IT = 0
parent = os.getpid()
work = Conversion(Target(), Names.load("7.1"), Project())
text = "#include <cuda_runtime.h>\\nint f() { return cudaDeviceSynchronize() + cudaNoSuch(); }\\n"
sources = [SourceFile(f"{n}.cu", text.encode()) for n in range(23)]
done = []
"""


def _run(code: str, environment: dict[str, str]) -> Any:  # noqa: ANN401 - a JSON document
    """Run code after the prelude and return the JSON that it prints."""
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", _PRELUDE + dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_all_gives_the_same_whatever_the_number_of_processes(environment: dict[str, str]) -> None:
    found = _run(
        """
        alone = work.all(sources, 1, done.append)
        several = work.all(sources, 3, done.append)
        print(json.dumps([
            several == alone,
            [d.source.path for d in several] == [s.path for s in sources],
            all(b"hipDeviceSynchronize" in d.data for d in several),
            done == 2 * [s.path for s in sources],
            multiprocessing.active_children() == [],
        ]))
        """,
        environment,
    )
    assert found == [True] * 5


def test_all_uses_processes_when_there_is_enough_to_do(environment: dict[str, str]) -> None:
    found = _run(
        """
        def where(unit):
            yield unit.diagnose(conversion.INTERNAL, 0, str(os.getpid()))
        import porting.hipify
        porting.hipify.RULES = (where,)
        def pids(jobs):
            return {int(h.diagnostics[0].message) for h in work.all(sources, jobs, done.append)}
        here, there = pids(1), pids(2)
        conversion._WORTH_IT = 10**9
        print(json.dumps([here == {parent}, parent in there, pids(2) == {parent}]))
        """,
        environment,
    )
    assert found == [True, False, True]


@pytest.mark.parametrize("jobs", [1, 2])
def test_defect_of_a_rule_is_a_finding_of_its_file(environment: dict[str, str], jobs: int) -> None:
    found = _run(
        f"""
        def broken(unit):
            raise RecursionError("too deep")
        import porting.hipify
        porting.hipify.RULES = (broken,)
        results = work.all(sources, {jobs}, done.append)
        print(json.dumps([
            [d.to_json() for h in results for d in h.diagnostics],
            all(h.data == h.source.data for h in results),
        ]))
        """,
        environment,
    )
    findings, unchanged = found
    assert unchanged
    assert [d["file"] for d in findings] == [f"{n}.cu" for n in range(23)]
    assert {(d["code"], d["severity"]) for d in findings} == {("SRC002", "error")}
    assert "RecursionError('too deep') at <string>:" in findings[0]["message"]


def test_death_of_a_worker_is_told_in_one_line(environment: dict[str, str]) -> None:
    message, is_alone = _run(
        """
        def dies(unit):
            os._exit(9)
        import porting.hipify
        porting.hipify.RULES = (dies,)
        try:
            work.all(sources, 2, done.append)
        except PortingError as error:
            print(json.dumps([str(error), multiprocessing.active_children() == []]))
        """,
        environment,
    )
    assert is_alone
    assert message == (
        "a worker process died, most likely for want of memory; nothing was written; "
        "run again with --jobs 1"
    )


def test_workers_end_with_their_parent(environment: dict[str, str]) -> None:
    """A killed parent cleans nothing up, so the kernel must end its workers."""
    code = """
    import signal
    def kills(unit):
        os.kill(parent, signal.SIGKILL)
        signal.pause()
    import porting.hipify
    porting.hipify.RULES = (kills,)
    work.all(sources, 2, done.append)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", _PRELUDE + dedent(code)],
        env=environment,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process.stdout:
        # The workers hold the pipe too: it ends when the last of them has.
        assert process.stdout.read() == b""
    assert process.wait(30) == -9


def test_all_does_not_fork_when_another_thread_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "_WORTH_IT", 0)
    monkeypatch.setattr(Conversion, "_in_processes", None)
    work = Conversion(Target(), Names.load("7.1"), Project())
    end = threading.Event()
    thread = threading.Thread(target=end.wait, args=(30,))
    thread.start()
    try:
        sources = [SourceFile("a.cu", b"int a;\n"), SourceFile("b.cu", b"int b;\n")]
        assert len(work.all(sources, 2, lambda _: None)) == 2
    finally:
        end.set()
        thread.join()
