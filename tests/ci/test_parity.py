"""The command that joins reports: two tiny suites through it, its exit statuses, and its errors."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ci import found, parity, run
from ci.cells import ROOT
from tests.ci.parity_reports import CELLS, CUDA, CUDA_COMPILED, ROCM, ROCM_COMPILED, facts, write

SUITE = """
import os
import pytest

PLATFORM = os.environ["PLATFORM"]

@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("platform", [PLATFORM])
def test_same(platform, n):
    pass

def test_differs():
    assert PLATFORM == "cuda", "lanes are missing"

@pytest.mark.skipif(PLATFORM == "cuda", reason="nothing to see")
def test_is_skipped():
    pass

if PLATFORM == "rocm":
    def test_is_on_one_platform():
        pass

def test_fails():
    raise AssertionError
"""
EXCEPTION = """
[[exception]]
test = "test_it::test_{}"
platform = "{}"
reason = "known"
issue = 1
expires = 2999-01-01
"""


def reports(folder: Path, cuda: dict[str, str], rocm: dict[str, str]) -> str:
    """Write a report of either platform and return their folder."""
    write(folder / f"{CUDA}.xml", facts(CUDA), cuda)
    write(folder / f"{ROCM}.xml", facts(ROCM), rocm)
    return str(folder)


def test_table_when_two_suites_are_run_and_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_it.py").write_text(SUITE)
    for cell in (CUDA, ROCM):
        source = tmp_path / f"{cell}.source"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
        command.append(f"--rootdir={tmp_path}")  # or names depend on where the checkout is
        monkeypatch.setenv("PLATFORM", CELLS[cell].platform)
        done = subprocess.run(
            [*command, f"--junitxml={source}"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            timeout=50,
        )
        what = found.Found(sys.executable, "/toolkit", "7.1")
        target = tmp_path / "reports" / f"{cell}.xml"
        told = run.facts(CELLS[cell], what)
        assert run._finish(told, done.returncode, source, target) == 1
    listed = tmp_path / "e.toml"
    listed.write_text(EXCEPTION.format("differs", "rocm") + EXCEPTION.format("is_skipped", "cuda"))
    page, plain = tmp_path / "out" / "page.html", tmp_path / "out" / "table.json"
    capsys.readouterr()
    status = parity.main(
        [
            *(str(tmp_path / "reports"), "--exceptions", str(listed)),
            *("--html", str(page), "--json", str(plain)),
        ]
    )
    assert status == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "CUDA and ROCm are not at parity: 1 test passes on one platform only; 1 test passes on "
        "neither (6 tests in 2 cells)."
    )
    table = json.loads(plain.read_text())
    said = {each["test"]: (each["verdict"], len(each["exceptions"])) for each in table["tests"]}
    assert said == {
        "test_it::test_same[1]": ("passed", 0),
        "test_it::test_same[2]": ("passed", 0),
        "test_it::test_differs": ("differs", 1),
        "test_it::test_is_skipped": ("differs", 1),
        "test_it::test_is_on_one_platform": ("differs", 0),
        "test_it::test_fails": ("failed", 0),
    }
    assert "lanes are missing" in page.read_text()


@pytest.mark.parametrize(
    ("rocm", "listed", "status"),
    [
        ({"test_x": "p"}, "", 0),
        ({"test_x": "f"}, "", 1),
        ({"test_x": "s"}, "", 1),
        ({"test_y": "p"}, "", 1),
        ({"test_x": "f"}, EXCEPTION.replace("_it", "_a").format("x", "rocm"), 0),
        ({"test_x": "p"}, EXCEPTION.replace("_it", "_a").format("x", "rocm"), 1),
    ],
)
def test_status_when_the_platforms_say(
    rocm: dict[str, str], listed: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "e.toml").write_text(listed)
    folder = reports(tmp_path / "r", {"test_x": "p"}, rocm)
    assert parity.main([folder, "--exceptions", str(tmp_path / "e.toml")]) == status


@pytest.mark.parametrize(("letter", "status"), [("f", 1), ("s", 0)])
def test_status_when_neither_platform_passes(letter: str, status: int, tmp_path: Path) -> None:
    folder = reports(tmp_path / "r", {"test_x": letter}, {"test_x": letter})
    assert parity.main([folder]) == status


def test_command_when_run_as_a_module(tmp_path: Path) -> None:
    folder = reports(tmp_path / "r", {"test_x": "p"}, {"test_x": "p"})
    done = subprocess.run(
        [sys.executable, "-m", "ci.parity", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("CUDA and ROCm are at parity (1 test in 2 cells).\n")


def test_command_when_reports_are_named_one_by_one(tmp_path: Path) -> None:
    folder = Path(reports(tmp_path / "r", {"test_x": "p"}, {"test_x": "p"}))
    write(folder / "other.xml", facts(CUDA), {"test_x": "f"})
    assert parity.main([str(folder / f"{CUDA}.xml"), str(folder / f"{ROCM}.xml")]) == 0


def errors(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what the command says where it cannot make a table."""
    assert parity.main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_command_when_a_report_is_cut_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = reports(tmp_path / "r", {"test_x": "p"}, {"test_x": "p"})
    cut = Path(folder, f"{ROCM}.xml")
    cut.write_text(cut.read_text()[:-30])
    assert errors(capsys, folder).startswith(f"ci.parity: cell {ROCM}: {cut} is no whole report: ")


def test_command_when_a_folder_has_no_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = errors(capsys, str(tmp_path))
    assert said == f"ci.parity: {tmp_path} has no report in it: no file ends with .xml\n"


def test_command_when_cells_are_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cell whose job broke off left no report, and no row could tell."""
    tests = {"test_x": "p"}
    for cell in CELLS.values():
        if cell.runner.name == "hosted":
            write(tmp_path / f"{cell.id}.xml", facts(cell.id), tests)
    assert parity.main([str(tmp_path), "--expect", "hosted"]) == 0
    capsys.readouterr()
    for lost in (CUDA_COMPILED, ROCM_COMPILED):
        (tmp_path / f"{lost}.xml").unlink()
    assert errors(capsys, str(tmp_path), "--expect", "hosted") == (
        f"ci.parity: no report was given of {CUDA_COMPILED}, {ROCM_COMPILED}; did it break off?\n"
    )
    assert errors(capsys, str(tmp_path), "--expect", "metal").endswith(
        "--expect metal: no rule of ci/matrix.toml has this runner\n"
    )


def test_command_when_the_exceptions_are_unreadable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = reports(tmp_path / "r", {"test_x": "p"}, {"test_x": "p"})
    said = errors(capsys, folder, "--exceptions", str(tmp_path / "absent.toml"))
    assert said == f"ci.parity: {tmp_path}/absent.toml does not exist\n"
