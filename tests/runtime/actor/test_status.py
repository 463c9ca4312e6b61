"""`python -m runtime status` against programs that run: whole trees, busy ones, silent ones."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runtime import dashboard
from runtime.dashboard import tree
from runtime.dashboard.tree import as_text
from runtime.telemetry import places
from tests.runtime.field.machine import pause
from tests.runtime.field.scripts import ROOT, Script

SECONDS = 40.0
HEAD = """
import os, sys, time, threading
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, endpoint
ra.unhandled_fault_hook = lambda failure: None
go = sys.stdin

class Worker(Actor):
    @endpoint
    def wait(self, path): open(path).read()
    @endpoint
    def fails(self): raise ValueError("no")
    @endpoint
    def die(self): os._exit(3)
    @endpoint
    def hold(self, seconds):
        import ctypes
        ctypes.PyDLL(None).usleep(int(seconds * 1e6))
    @endpoint
    def pid(self): return os.getpid()

procs = ra.this_host().spawn_procs({"r": 2})
mesh = procs.spawn("worker", Worker)
mesh.pid.call().get(30)
"""
Start = Callable[[str], Script]
Status = Callable[..., "subprocess.CompletedProcess[str]"]
NUMBER = {"type": ["number", "null"]}
SPAN = {"type": "object", "required": ["endpoint", "seconds"]}
ACTOR = {
    "type": "object",
    "required": ["name", "path", "class", "mailbox", "handled", "failed", "running"],
    "properties": {"mailbox": {"type": "integer"}, "running": {"type": "array", "items": SPAN}},
}
PROCESS = {
    "type": "object",
    "required": ["name", "node", "state", "pid", "rss", "uptime", "answered"],
    "properties": {
        "node": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
        "state": {"enum": ["starting", "running", "stopping"]},
        "rss": NUMBER,
        "uptime": NUMBER,
        "actors": {"type": "array", "items": ACTOR},
    },
}
HOST = {
    "type": "object",
    "required": ["host", "node", "processes"],
    "properties": {"processes": {"type": "array", "items": PROCESS}},
}
SCHEMA = {
    "type": "object",
    "required": ["version", "programs"],
    "properties": {
        "version": {"const": 1},
        "programs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pid", "command", "answered", "problem", "hosts", "failures"],
                "properties": {"hosts": {"type": "array", "items": HOST}},
            },
        },
    },
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have programs of this test be found in a folder of their own, and nowhere else."""
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder / "eclosion"


@pytest.fixture
def status(place: Path) -> Status:
    """Return a function that runs the command."""

    def run(*arguments: object) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "runtime", "status", *map(str, arguments)]
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS
        )

    return run


def told(status: Status, *arguments: object) -> Any:  # noqa: ANN401 - JSON
    """Return the one program that is asked for, as data."""
    done = status("--json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMA)
    (program,) = data["programs"]
    return program


def test_a_tree_when_a_program_runs(
    program: Start, status: Status, place: Path, tmp_path: Path
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    one = program(
        HEAD
        + f"""
busy = mesh.slice(r=1).wait.call({str(fifo)!r})
more = [mesh.slice(r=1).pid.call() for _ in range(3)]
mesh.slice(r=0).fails.call_one().exception(30)
while mesh.slice(r=0).pid.call_one().get(30) == 0: pass
print("ready", mesh.slice(r=0).pid.call_one().get(30))
busy.get(60)
"""
    )
    pid = one.marker("ready", SECONDS)
    found = told(status, "--pid", one.pid)
    assert found["answered"]
    assert found["role"] == "client"
    assert one.path in found["command"]
    client, first, second = found["hosts"][0]["processes"]
    assert (client["name"], client["pid"]) == ("client", one.pid)
    assert (first["name"], first["pid"], first["state"]) == ("procs{r=0}", pid, "running")
    assert first["rss"] > 1 << 20
    assert 0 < first["uptime"] <= client["uptime"]
    (actor,) = first["actors"]
    assert (actor["path"], actor["class"], actor["running"]) == ("worker{r=0}", "Worker", [])
    assert (actor["handled"], actor["failed"]) == (4, 1)
    (actor,) = second["actors"]
    assert actor["running"][0]["endpoint"] == "wait"
    assert actor["mailbox"] == 3
    text = status("--pid", one.pid).stdout
    assert f"program {one.pid}: " in text
    assert "      worker{r=0} Worker, handled 4, failed 1\n" in text
    assert "      worker{r=1} Worker, handled 1, mailbox 3, in wait for " in text
    fifo.write_text("go")
    assert one.finish(SECONDS) == 0
    assert list(place.iterdir()) == []


def test_failures_when_processes_died(program: Start, status: Status) -> None:
    one = program(
        HEAD
        + """
mesh.slice(r=1).die.call_one().exception(30)
print("ready", 1)
sys.stdin.read(); time.sleep(60)
"""
    )
    one.marker("ready", SECONDS)
    end = time.monotonic() + SECONDS
    while not (found := told(status, "--pid", one.pid))["failures"]:
        assert time.monotonic() < end
    (failure,) = found["failures"]
    assert failure["kind"] == "exit"
    assert failure["text"].startswith("worker{r=1} (pid ")
    assert 0 <= failure["seconds"] < SECONDS
    assert [row["name"] for row in found["hosts"][0]["processes"]] == ["client", "procs{r=0}"]
    assert "ago: worker{r=1} (pid " in status("--pid", one.pid).stdout


def test_an_answer_when_the_main_thread_is_busy(program: Start, status: Status) -> None:
    one = program(HEAD + "print('ready', 1, flush=True)\nwhile True: pass\n")
    one.marker("ready", SECONDS)
    assert len(told(status, "--pid", one.pid)["hosts"][0]["processes"]) == 3


def test_a_process_when_it_does_not_answer(program: Start, status: Status) -> None:
    one = program(
        HEAD
        + """
pids = [pid for _, pid in mesh.pid.call().get(30).items()]
mesh.slice(r=0).hold.broadcast(60)
print("ready", pids)
time.sleep(60)
"""
    )
    pids = one.marker("ready", SECONDS)
    pause(pids[1])
    rows = told(status, "--pid", one.pid, "--timeout", 0.3)["hosts"][0]["processes"]
    assert [(row["name"], row["answered"]) for row in rows][1:] == [
        ("procs{r=0}", False),
        ("procs{r=1}", False),
    ]
    assert rows[1]["rss"] > 1 << 20
    text = status("--pid", one.pid, "--timeout", 0.3).stdout
    assert text.count("no answer in time: it is stopped, or its interpreter's lock is held") == 2


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        ("import ctypes; ctypes.PyDLL(None).usleep(60_000_000)", 0, "holds the interpreter's lock"),
        ("time.sleep(60)", signal.SIGSTOP, "it is stopped"),
    ],
)
def test_a_program_when_it_does_not_answer(
    program: Start, status: Status, line: str, number: int, words: str
) -> None:
    one = program(HEAD + f"print('ready', 1, flush=True)\n{line}\n")
    one.marker("ready", SECONDS)
    if number:
        one.send(number)
        os.waitid(os.P_PID, one.pid, os.WSTOPPED | os.WNOWAIT)
    end = time.monotonic() + SECONDS
    while (found := told(status, "--pid", one.pid, "--timeout", 0.1))["answered"]:
        assert time.monotonic() < end  # the line has not begun yet
    assert found["problem"].startswith("no answer in 0.1 s: ")
    assert words in found["problem"]
    assert found["rss"] > 1 << 20
    assert words in status("--pid", one.pid, "--timeout", 0.1).stdout
    one.send(signal.SIGCONT)


def test_sockets_when_their_programs_are_dead(program: Start, status: Status, place: Path) -> None:
    one = program(HEAD + "print('ready', 1, flush=True)\ntime.sleep(60)\n")
    one.marker("ready", SECONDS)
    (left,) = place.iterdir()
    reused = place / f"{os.getpid()}-1.sock"  # of a program whose pid is another's now
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(reused))
    note = place / "note"
    note.touch()
    one.send(signal.SIGKILL)
    one.wait(SECONDS)
    done = status("--pid", one.pid)
    assert done.returncode == 1
    assert done.stderr == f"process {one.pid} is no running program of this user\n"
    assert not left.exists()
    assert not reused.exists()
    assert note.exists()


def test_the_folder_when_it_is_open_to_others(
    program: Start, status: Status, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.mkdir(mode=0o755)
    monkeypatch.setenv("TMPDIR", str(place.parent))
    (place.parent / f"eclosion-{os.geteuid()}").symlink_to("/")
    with pytest.raises(places.NotPrivateError, match="it must be this user's"):
        places.open_private(str(place), make=True)
    one = program(HEAD + "print('ready', 1, flush=True)\ntime.sleep(60)\n")
    one.marker("ready", SECONDS)
    assert list(place.iterdir()) == []
    assert told(status, "--pid", one.pid)["answered"]  # in the next folder


def test_the_folder_when_a_program_makes_it(program: Start, place: Path) -> None:
    one = program(HEAD + "print('ready', 1, flush=True)\ntime.sleep(60)\n")
    one.marker("ready", SECONDS)
    assert place.stat().st_mode & 0o777 == 0o700
    assert place.stat().st_uid == os.geteuid()


def test_a_program_when_it_has_begun_again(program: Start, status: Status, place: Path) -> None:
    one = program(
        HEAD
        + """
ra.shutdown_context().get(30)
again = ra.this_host().spawn_procs({"x": 1}, name="again")
again.initialized.get(30)
print("ready", 1, flush=True)
time.sleep(60)
"""
    )
    one.marker("ready", SECONDS)
    rows = told(status, "--pid", one.pid)["hosts"][0]["processes"]
    assert [row["name"] for row in rows] == ["client", "again{x=0}"]
    assert len(list(place.iterdir())) == 1


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b'{"version": 99}', "it answers in version 99 and this is 1"),
        (b"[]", "no answer: its answer is no object"),
        (b"no json", "no answer: "),
        (b"", "no answer: "),
    ],
)
def test_a_program_when_its_answer_is_none(place: Path, answer: bytes, problem: str) -> None:
    fd = places.open_private(str(place), make=True)
    name = places.socket_name(os.getpid())
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(places.path_of(fd, name))
        listener.listen(1)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            (found,) = (each for each in dashboard.find() if each.folder == str(place))
            told_ = dashboard.status([found], 5.0)
        finally:
            thread.join(SECONDS)
            os.close(fd)
    (row,) = told_["programs"]
    assert not row["answered"]
    assert row["problem"].startswith(problem)
    jsonschema.validate(told_, SCHEMA)
    assert row["problem"] in as_text(told_)


def test_other_end_of_a_socket_when_it_is_asked_for() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert places.peer_of(one) == (os.getpid(), os.geteuid())
        assert places.is_for_user(other)
        places.expect(one, os.getpid())
        with pytest.raises(PermissionError, match=r"^its socket is served by another process$"):
            places.expect(one, os.getppid())


def test_nothing_when_no_program_runs() -> None:
    assert as_text(dashboard.status([], 1.0)) == "no program of this user is running"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (59.9, "59.9 s"),
        (61, "1 min 1 s"),
        (3600 * 2 + 60 * 13, "2 h 13 min"),
        (86400 * 3 + 7200, "3 d 2 h"),
    ],
)
def test_times_when_people_read_them(seconds: float, text: str) -> None:
    assert tree._time(seconds) == text
