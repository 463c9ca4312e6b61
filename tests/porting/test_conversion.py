"""Many files at once give what one at a time gives."""

import os
import threading
from collections.abc import Iterator

import pytest

from porting import conversion
from porting.config import Target
from porting.conversion import Conversion
from porting.diagnostics import Severity
from porting.errors import PortingError
from porting.mapping import Names
from porting.rules import Project, Unit
from porting.source import SourceFile

_CALL = "int f{n}() {{ return cudaDeviceSynchronize() + cudaNoSuchThing(); }}\n"


@pytest.fixture
def work() -> Conversion:
    return Conversion(Target(), Names.load("7.1"), Project())


def _sources(number: int) -> list[SourceFile]:
    return [
        SourceFile(f"{n}.cu", ("#include <cuda_runtime.h>\n" + _CALL.format(n=n)).encode())
        for n in range(number)
    ]


def _silent(_: str) -> None:
    pass


def test_all_gives_the_same_whatever_the_number_of_processes(
    work: Conversion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "_WORTH_IT", 0)
    sources = _sources(23)
    alone = work.all(sources, 1, _silent)
    assert work.all(sources, 3, _silent) == alone
    assert all(b"hipDeviceSynchronize" in done.data for done in alone)
    assert [done.source for done in alone] == sources


@pytest.mark.parametrize("jobs", [1, 2])
def test_all_reports_every_file_when_it_is_done(
    work: Conversion, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(conversion, "_WORTH_IT", 0)
    done: list[str] = []
    work.all(_sources(5), jobs, done.append)
    assert done == [f"{n}.cu" for n in range(5)]


def test_all_does_not_fork_when_another_thread_runs(
    work: Conversion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "_WORTH_IT", 0)
    monkeypatch.setattr(Conversion, "_in_processes", None)
    end = threading.Event()
    thread = threading.Thread(target=end.wait, args=(30,))
    thread.start()
    try:
        assert len(work.all(_sources(2), 2, _silent)) == 2
    finally:
        end.set()
        thread.join()


def _broken(_: Unit) -> Iterator[None]:
    raise RecursionError("too deep")


@pytest.mark.parametrize("jobs", [1, 2])
def test_defect_of_a_rule_is_a_finding_of_its_file(
    work: Conversion, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(conversion, "_WORTH_IT", 0)
    monkeypatch.setattr("porting.hipify.RULES", (_broken,))
    for done in work.all(_sources(3), jobs, _silent):
        (found,) = done.diagnostics
        assert (found.code, found.severity) == ("SRC002", Severity.ERROR)
        assert "RecursionError('too deep') at test_conversion.py:" in found.message
        assert done.data == done.source.data


def _dies(_: Unit) -> Iterator[None]:
    os._exit(9)


def test_death_of_a_worker_is_told_in_one_line(
    work: Conversion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "_WORTH_IT", 0)
    monkeypatch.setattr("porting.hipify.RULES", (_dies,))
    with pytest.raises(PortingError, match=r"^a worker process died, .* run again with --jobs 1$"):
        work.all(_sources(3), 2, _silent)
