"""A program is run with the emulator's variables, and the findings of this run are counted."""

import sys
from pathlib import Path

import pytest

from porting.emulate.launch import Machine, environment_of, run
from porting.errors import UsageError

REPORT = "import os; report = open(os.environ['ECLOSION_EMULATOR_REPORT'], 'a')"
WRITES = REPORT + """; report.write('{"code": "EMU001"}\\n')"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, (), "sm_90", "13.0", 32)


def test_findings_when_the_report_has_others_already(machine: Machine, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    report.write_text('{"code": "EMU007"}\n')
    assert run(["true"], machine, report).findings == ()
    assert run([sys.executable, "-c", WRITES], machine, report).findings == ({"code": "EMU001"},)
    assert len(report.read_text().splitlines()) == 2


def test_findings_when_a_line_was_not_finished(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = f"{WRITES}; report.write('{{')"
    outcome = run([sys.executable, "-c", code], machine, tmp_path / "r")
    assert outcome.findings == ({"code": "EMU001"},)
    assert "r has an unfinished line, which was left out" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["missing/report", "."])
def test_program_when_its_report_cannot_be_written(
    machine: Machine, tmp_path: Path, name: str
) -> None:
    with pytest.raises(UsageError, match=r"findings (cannot be|are) added to"):
        run(
            [sys.executable, "-c", f"open({str(tmp_path / 'ran')!r}, 'w')"],
            machine,
            tmp_path / name,
        )
    assert not (tmp_path / "ran").exists()


def test_status_when_a_signal_ended_the_program(machine: Machine, tmp_path: Path) -> None:
    ended = run(["sh", "-c", "kill -KILL $$"], machine, tmp_path / "r")
    assert ended.status == 128 + 9


def test_variables_when_the_caller_has_some_already(machine: Machine, tmp_path: Path) -> None:
    before = {
        "ECLOSION_EMULATOR_FAULTS": "cudaMalloc=2",
        "ECLOSION_EMULATOR_WORKERS": "1",
        "LD_LIBRARY_PATH": "/own",
    }
    given = environment_of(machine, tmp_path / "r", before)
    assert "ECLOSION_EMULATOR_FAULTS" not in given
    assert given["ECLOSION_EMULATOR_WORKERS"] == "1"
    assert given["ECLOSION_EMULATOR_ARCH"] == "sm_90"
    assert given["LD_LIBRARY_PATH"] == f"{tmp_path}:/own"
