"""Commands of a build that do not end, leave processes behind, or say more than can be kept."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from porting.processes import Ran, run

ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
LONG = 30.0


def shell(folder: Path, text: str, timeout: float = LONG) -> Ran:
    return run(("sh", "-c", text), folder, ENVIRONMENT, timeout)


def ended(pid: int) -> bool:
    """Whether a process is gone, or a zombie that waits for its parent."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state in "ZX"


def test_run_when_all_is_well(tmp_path: Path) -> None:
    assert shell(tmp_path, "echo one; echo two >&2; exit 3") == Ran(3, "one\ntwo\n")


def test_run_when_a_process_stays_in_the_background(tmp_path: Path) -> None:
    """It holds the output open; the command is over all the same, and so is what it started."""
    began = time.monotonic()
    ran = shell(tmp_path, "sleep 600 & echo $!")
    assert (ran.code, ran.timed_out) == (0, False)
    assert time.monotonic() - began < LONG
    assert ended(int(ran.output))


def test_run_when_a_process_leaves_the_session(tmp_path: Path) -> None:
    """A daemon is over with the command too: the folder that it knows is gone then."""
    leave = (
        "import os, time\n"
        "ready, tell = os.pipe()\n"
        "if os.fork():\n"
        "    os.read(ready, 1)\n"
        "    os._exit(0)\n"
        "os.setsid()\n"
        "print(os.getpid(), flush=True)\n"
        "os.write(tell, b'.')\n"
        "time.sleep(600)\n"
    )
    ran = run((sys.executable, "-I", "-S", "-c", leave), tmp_path, ENVIRONMENT, LONG)
    assert (ran.code, ran.timed_out) == (0, False)
    assert ended(int(ran.output))


def test_run_when_a_command_ends_its_own_group(tmp_path: Path) -> None:
    """What guards it, and this process, are of another group."""
    assert shell(tmp_path, "sleep 600 & kill 0") == Ran(-signal.SIGTERM, "")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGPIPE])
def test_run_when_a_signal_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    assert shell(tmp_path, f"kill -{number.value} $$") == Ran(-number, "")


def test_run_when_names_are_no_text(tmp_path: Path) -> None:
    word = os.fsdecode(b"\xff \n'")
    ran = run(
        ("sh", "-c", 'test "$1" = "$WORD" && printf %s "$1"', "sh", word),
        tmp_path,
        {**ENVIRONMENT, "WORD": word},
        LONG,
    )
    assert ran == Ran(0, "\ufffd \n'")


def test_run_when_the_environment_acts_on_every_program(tmp_path: Path) -> None:
    """It is the command's, and not that of what guards it."""
    traced = run(("true",), tmp_path, {**ENVIRONMENT, "LD_TRACE_LOADED_OBJECTS": "1"}, LONG)
    assert traced.code == 0
    assert "libc.so.6 =>" in traced.output


def test_run_when_time_runs_out(tmp_path: Path) -> None:
    ran = shell(tmp_path, "echo begun; sleep 600", timeout=1.0)
    assert ran == Ran(-signal.SIGKILL, "begun\n", timed_out=True)


def test_run_when_the_output_is_closed_early(tmp_path: Path) -> None:
    ran = shell(tmp_path, "exec >&- 2>&-; sleep 600", timeout=1.0)
    assert ran.timed_out


def test_run_when_there_is_more_output_than_can_be_kept(tmp_path: Path) -> None:
    ran = shell(tmp_path, "echo first; head -c 40000000 /dev/zero | tr '\\0' a; echo; echo last")
    assert ran.code == 0
    assert ran.output.startswith("first\naaa")
    assert ran.output.endswith("aaa\nlast\n")
    assert "bytes left out" in ran.output
    assert len(ran.output) < 10_000_000


def test_run_when_there_are_bytes_that_no_text_has(tmp_path: Path) -> None:
    assert shell(tmp_path, "printf 'a\\000b\\377c'").output == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    ("name", "why"),
    [("nosuch", "no such file or directory"), ("text", "permission denied")],
)
def test_run_when_the_program_cannot_be_started(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "text").write_text("no program")
    path = tmp_path / name
    assert run((str(path),), tmp_path, ENVIRONMENT, LONG) == Ran(127, f"{path}: {why}\n")
