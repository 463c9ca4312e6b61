"""Running a cell: what this machine lacks, the commands, and real runs that end in every way."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ci import launch, run
from ci.cells import ROOT, read_matrix
from ci.found import Found
from ci.junit import read
from ci.launch import Session
from tests.ci.parity_reports import CUDA, ROCM, ROCM_COMPILED, ROCM_DEVICE

CELLS = read_matrix()
OWN = f"py3{sys.version_info.minor}"
# A Python whose `porting` finds a toolkit at once, and whose emulator only says what it was asked.
INTERPRETER = """#!/bin/sh
case "$1 $2 $3" in
  "-m porting sysroot")
    echo '{"path": "/toolkit", "release": "7.1"}' ;;
  "-m porting emulate")
    while [ "$1" != -- ]; do asked="$asked $1"; shift; done
    shift
    EMULATED="$asked" exec "$@" ;;
  *) exec PYTHON "$@" ;;
esac
"""
CONFTEST = """
def pytest_configure(config):
    config.addinivalue_line("markers", "compiled: only compiles")
"""
SUITE = """
import os
import pytest

def test_environment(record_property):
    for name, value in os.environ.items():
        if name.startswith("ECLOSION_") or name in ("EMULATED", "GPU_PLATFORM"):
            record_property(name, value)

@pytest.mark.parametrize("n", [1, 2])
def test_fails(n):
    assert n == 1

@pytest.mark.compiled
def test_compiles():
    pass
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def python(tmp_path: Path) -> str:
    """Return the path of an interpreter with a toolkit and an emulator that need nothing."""
    path = tmp_path / "bin" / "python"
    path.parent.mkdir()
    path.write_text(INTERPRETER.replace("PYTHON", sys.executable))
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def run_cell(python: str, tmp_path: Path) -> Run:
    """Return a function that runs a cell of this Python over a suite and gives its outcome."""

    def run_it(
        cell: str, suite: str, *more: str, options: tuple[str, ...] = ()
    ) -> "subprocess.CompletedProcess[str]":
        (tmp_path / "suite").mkdir()
        (tmp_path / "suite" / "conftest.py").write_text(CONFTEST)
        (tmp_path / "suite" / "test_it.py").write_text(suite)
        command = [sys.executable, "-m", "ci.run", cell.replace("py311", OWN), "--python", python]
        command += ["--suite", f"{tmp_path}/suite", "--junit", f"{tmp_path}/junit.xml"]
        return subprocess.run(
            [*command, *options, "--", "-p", "no:cacheprovider", *(more or ("-n", "0"))],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
        )

    return run_it


def test_command_when_the_cell_is_emulated() -> None:
    session = Session("tests/parity", Path("j.xml"), ("-x",))
    command = launch.command(CELLS[ROCM], "/v/python", session)
    emulator, tests = command[: command.index("--")], command[command.index("--") + 1 :]
    assert emulator == [
        *("/v/python", "-m", "porting", "emulate"),
        *("--platform", "rocm", "--wave", "64", "--arch", "gfx942"),
        *("--devices", "2"),
    ]
    assert tests[:4] == ["/v/python", "-m", "pytest", "tests/parity"]
    assert tests[tests.index("-m", 3) + 1] == "not compiled and not soak and not realtime"
    assert command[-2:] == ["--junitxml=j.xml", "-x"]


def test_command_when_the_emulator_runs_builds() -> None:
    session = Session("tests/parity", Path("j.xml"), (), ("/b 1", "/b2"))
    command = launch.command(CELLS[ROCM], "python", session)
    assert command[command.index("--") - 2 : command.index("--")] == [
        *("--build-dir=/b 1", "--build-dir=/b2")
    ]
    assert "--build-dir=/b2" not in launch.command(CELLS[ROCM_COMPILED], "python", session)


@pytest.mark.parametrize(
    ("cell", "marks"),
    [
        (ROCM_COMPILED, "compiled and not soak and not realtime"),
        (ROCM_DEVICE, "not compiled and not soak and not realtime"),
    ],
)
def test_command_when_the_cell_is_not_emulated(cell: str, marks: str) -> None:
    command = launch.command(CELLS[cell], "python", Session("suite", Path("j.xml")))
    assert command[:4] == ["python", "-m", "pytest", "suite"]
    assert command[command.index("-m", 3) + 1] == marks


def test_container_when_the_cell_needs_a_gpu() -> None:
    session = Session("tests/parity", Path("/out/c.xml"), ("-x",), revision="abc")
    build, run_it = launch.container_commands(CELLS[ROCM_DEVICE], "podman", session)
    assert build[:4] == ["podman", "build", "--file", "ci/containers/rocm.Containerfile"]
    assert {"TAG=7.1-complete", "PYTHON=3.11"} <= set(build)
    assert "--device=/dev/kfd" in run_it
    assert run_it[run_it.index("--volume") + 1] == "/out:/reports"
    tag = build[build.index("--tag") + 1]
    assert run_it[run_it.index(tag) :] == [
        *(tag, ROCM_DEVICE, "--suite", "tests/parity", "--junit", "/reports/c.xml"),
        *("--revision", "abc", "--", "-x"),
    ]


def test_container_when_the_cell_needs_no_gpu() -> None:
    _, run_it = launch.container_commands(CELLS[ROCM], "docker", Session("s", Path("/out/c.xml")))
    assert not [option for option in run_it if option.startswith(("--device", "--gpus"))]
    assert "--" not in run_it


def test_revision_when_sources_are_edited_during_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "revision", lambda _: "abc+1")
    assert run._unchanged("abc+1") == "abc+1"
    assert capsys.readouterr().err == ""
    assert run._unchanged("abc") == ""
    assert "sources were edited during the run" in capsys.readouterr().err


def test_container_when_no_engine_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run.main([ROCM, "--container", "--junit", str(tmp_path / "j.xml")]) == 2
    assert capsys.readouterr().err == (
        "ci.run: no docker or podman is on PATH, and --container needs one\n"
    )


def test_container_when_an_engine_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    engine = tmp_path / "docker"
    engine.write_text(f'#!/bin/sh\necho "$1 $PWD" >>{log}\n[ "$1" = build ] || exit 1\n')
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run.main([ROCM, "--container", "--junit", str(tmp_path / "j.xml")]) == 1
    assert log.read_text().splitlines() == [f"build {ROOT}", f"run {ROOT}"]


def test_container_when_it_cannot_be_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = tmp_path / "docker"
    engine.write_text(f'#!/bin/sh\n[ "$1" = build ] || echo "$1" >{tmp_path}/log\nexit 125\n')
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run.main([ROCM, "--container", "--junit", str(tmp_path / "j.xml")]) == 2
    assert capsys.readouterr().err == (
        f"ci.run: the container of {ROCM} was not built: status 125\n"
    )
    assert not (tmp_path / "log").exists()


def test_environment_when_the_cell_is_rocm() -> None:
    own = launch.environment(
        CELLS[ROCM], Found("/v/bin/python", "/t", "7.1.1"), {"PATH": "/bin", "HOME": "/h"}
    )
    assert own == {
        "PATH": "/v/bin:/bin",
        "HOME": "/h",
        "GPU_PLATFORM": "rocm",
        "ECLOSION_REQUIRE_TOOLCHAIN": "1",
        "ECLOSION_PARITY_CELL": ROCM,
        "ECLOSION_PARITY_PLATFORM": "rocm",
        "ECLOSION_PARITY_CHECKED": "emulated",
        "ECLOSION_PARITY_TARGET": "gfx942",
        "ECLOSION_PARITY_WAVE": "64",
        "ECLOSION_PARITY_RELEASE": "7.1.1",
        "ECLOSION_PARITY_HOME": "/t",
    }


def test_run_when_an_emulated_cell_has_a_failure(run_cell: Run, tmp_path: Path) -> None:
    """Its report says which cell it is, and its tests ran under the emulator."""
    done = run_cell(ROCM, SUITE, "-n", "2")
    assert done.returncode == 1, done.stderr
    cell = ROCM.replace("py311", OWN)
    assert done.stdout.splitlines()[-1] == (
        f"{cell}: 3 cases, emulated; report: {tmp_path / 'junit.xml'}"
    )
    text = (tmp_path / "junit.xml").read_text()
    assert '"EMULATED" value=" ' in text
    assert "-m porting emulate --platform rocm --wave 64" in text
    assert f'"ECLOSION_PARITY_CELL" value="{cell}"' in text
    report = read(tmp_path / "junit.xml")
    assert report.facts == {
        "cell": cell,
        "platform": "rocm",
        "toolkit": "rocm-7.1",
        "release": "7.1",
        "target": "gfx942",
        "wave": "64",
        "python": f"3.{sys.version_info.minor}",
        "checked": "emulated",
    }
    assert {case.name: case.outcome.value for case in report.cases} == {
        "test_environment": "passed",
        "test_fails[1]": "passed",
        "test_fails[2]": "failed",
    }


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that writes the module `kernels_of_a_test`."""

    def write(source: str) -> None:
        (tmp_path / "kernels_of_a_test.py").write_text(source)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return write


def test_run_when_builds_are_prepared(
    run_cell: Run, prepared: Callable[[str], None], tmp_path: Path
) -> None:
    """They are made for the cell, and the emulator is told of them."""
    prepared("import os; print('/b/' + os.environ['ECLOSION_PARITY_TARGET']); print('/c')")
    done = run_cell(ROCM, SUITE, "-n", "0", options=("--prepare", "kernels_of_a_test"))
    assert done.returncode == 1, done.stderr
    assert "--build-dir=/b/gfx942 --build-dir=/c" in (tmp_path / "junit.xml").read_text()


def test_run_when_builds_cannot_be_prepared(
    run_cell: Run, prepared: Callable[[str], None], tmp_path: Path
) -> None:
    prepared("raise SystemExit(3)")
    done = run_cell(ROCM, SUITE, "-n", "0", options=("--prepare", "kernels_of_a_test"))
    assert done.returncode == 1
    assert done.stderr.endswith("-m kernels_of_a_test ended with status 3; no test was run\n")
    assert not (tmp_path / "junit.xml").exists()


def test_run_when_a_compiled_cell_passes(run_cell: Run, tmp_path: Path) -> None:
    assert run_cell(ROCM_COMPILED, SUITE).returncode == 0
    assert [case.name for case in read(tmp_path / "junit.xml").cases] == ["test_compiles"]


def test_run_when_a_module_cannot_be_collected(run_cell: Run, tmp_path: Path) -> None:
    """Other modules run all the same, and this one is seen."""
    other = tmp_path / "test_other.py"
    other.write_text("def test_passes(): pass\n")
    done = run_cell(ROCM, "import no_such_module\n", str(other), "-n", "0")
    assert done.returncode == 1
    outcomes = {case.name: case.outcome.value for case in read(tmp_path / "junit.xml").cases}
    assert sorted(outcomes.values()) == ["failed", "passed"]


BREAKS = {
    "killed": ("import os, signal\ndef test_it(): os.kill(os.getpid(), signal.SIGKILL)\n", "-9"),
    "empty": ("", "5"),
}


@pytest.mark.parametrize("how", BREAKS)
def test_run_when_it_breaks_off(how: str, run_cell: Run, tmp_path: Path) -> None:
    """An old report does not pass for a new one."""
    (tmp_path / "junit.xml").write_text("<testsuites/>")
    suite, status = BREAKS[how]
    done = run_cell(ROCM, suite)
    assert done.returncode == 1
    cell = ROCM.replace("py311", OWN)
    assert done.stderr.splitlines()[-1] == (
        f"ci.run: cell {cell}: its run broke off with status {status}, and there is no report"
    )
    assert not (tmp_path / "junit.xml").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_run_when_it_is_ended_by_a_signal(
    number: signal.Signals, python: str, tmp_path: Path, signals_that_end: None
) -> None:
    """Nothing that it started is left, such as the workers of its pytest."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "test_it.py").write_text(
        f"import os, signal\ndef test_it():\n"
        f"    open({str(fifo)!r}, 'w').write(str(os.getpid()))\n    signal.pause()\n"
    )
    command = [sys.executable, "-m", "ci.run", ROCM.replace("py311", OWN), "--python", python]
    command += ["--suite", f"{tmp_path}/suite", "--junit", f"{tmp_path}/j.xml", "--", "-n", "1"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as running:
        worker = os.pidfd_open(int(fifo.read_text()))
        running.send_signal(number)
        assert running.wait(40) == 130
    ended, _, _ = select.select([worker], [], [], 10)
    os.close(worker)
    assert ended == [worker]


def test_run_when_the_python_is_another(python: str, capsys: pytest.CaptureFixture[str]) -> None:
    other = next(c for c in CELLS.values() if not c.python.endswith(f".{sys.version_info.minor}"))
    assert run.main([other.id, "--python", python]) == 2
    version = f"3.{sys.version_info.minor}"
    assert capsys.readouterr().err == (
        f"ci.run: Python {other.python} is needed, and {python} is {version}\n"
    )


def test_cell_when_its_name_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["gfx1100-py311-emulated"]) == 2
    assert capsys.readouterr().err == (
        "ci.run: gfx1100-py311-emulated is no cell of ci/matrix.toml; did you mean "
        "rocm-7.1-gfx1100-py311-emulated?\n"
    )
    assert run.main(["metal"]) == 2
    assert capsys.readouterr().err.endswith("; --list shows all\n")


def test_list_when_one_runner_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--list", "--runner", "rocm"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["cell", "wave", "runner", "where"]
    assert ["rocm-7.1-gfx942-py311-device", "64", "rocm", "7.1-complete"] in map(str.split, lines)
    assert len(lines) == 1 + sum(cell.runner.name == "rocm" for cell in CELLS.values())
    assert run.main(["--list", "--runner", "metal"]) == 2


def test_list_when_asked_what_can_run_here(
    python: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that cannot says why."""
    assert run.main(["--list", "--here", "--python", python]) == 0
    lines = capsys.readouterr().out.splitlines()
    said = {line.split()[0]: after for line, after in zip(lines[1::2], lines[2::2], strict=True)}
    assert set(said) == set(CELLS)
    assert said[ROCM.replace("py311", OWN)] == "    can run here"
    assert said[CUDA.replace("py311", OWN)].startswith("    cuda 13 is needed, and 7.1 is what")


def test_github_when_a_workflow_asks(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--github", "rocm"]) == 0
    jobs = json.loads(capsys.readouterr().out)["include"]
    assert {
        "cell": "rocm-7.0-gfx90a-py311-device",
        "python": "3.11",
        "labels": ["self-hosted", "linux", "x64", "rocm", "gfx90a"],
        "container": True,
    } in jobs
