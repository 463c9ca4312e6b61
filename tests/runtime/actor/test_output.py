"""Output of processes at the client: whose it is, nothing lost at deaths, nobody held up."""

import os
import select
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime import actor as ra
from runtime import core
from runtime.actor.logs import output
from runtime.actor.logs.outlet import Outlet
from tests.runtime.field.scripts import ROOT, Script

SECONDS = 40.0
HEAD = """
import logging, os, sys, threading
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, endpoint
ra.unhandled_fault_hook = lambda failure: None

class Printer(Actor):
    @endpoint
    def say(self, *words): print(*words)
    @endpoint
    def rank(self): print("rank", ra.current_rank().rank)
    @endpoint
    def raw(self, text): os.write(1, text)
    @endpoint
    def many(self, count):
        for number in range(count): print(number, "x" * 100)
        print("the last of them")
    @endpoint
    def parts(self, word, count):
        for _ in range(count):
            for letter in word: print(letter, end="")
            print()
    @endpoint
    def log(self):
        logging.getLogger("mine").info("an info")
        logging.getLogger("mine").warning("a warning")
    @endpoint
    def forks(self):
        print("half", end=" ")
        if (child := os.fork()) == 0:
            print()
            print("of the child")
            os._exit(0)
        os.waitpid(child, 0)
        print("whole")
    @endpoint
    def draw(self): sys.stdout.write("\\r10%\\r50%")
    @endpoint
    def die(self):
        sys.stdout.write("last words")
        os.write(2, b"and an error")
        os.kill(os.getpid(), 9)

def printers(count, name="printer", **keys):
    config.configure(**keys)
    procs = ra.this_host().spawn_procs({"r": count}, name="workers")
    return procs, procs.spawn(name, Printer)
"""
Start = Callable[[str], Script]


def ran(program: Start, body: str) -> list[str]:
    """Run a program to its end; return the lines that it printed."""
    script = program(HEAD + body)
    assert script.finish(SECONDS) == 0, script.out
    return script.out.splitlines()


def test_lines_when_actors_and_c_code_print(program: Start) -> None:
    lines = ran(
        program,
        r"""
procs, mesh = printers(2)
mesh.rank.call().get(30)
mesh.slice(r=1).raw.call(b"no mark\n").get(30)
procs.spawn("other", Printer).slice(r=0).say.call("two\nlines", "").get(30)
mesh.slice(r=0).say.call("\x1eother\x1fno mark either").get(30)
""",
    )
    assert set(lines) == {
        "[printer{r=0}] rank 0",
        "[printer{r=1}] rank 1",
        "[workers{r=1}] no mark",
        "[other{r=0}] two",
        "[other{r=0}] lines ",
        "[printer{r=0}] \\x1eother\\x1fno mark either",
    }


def test_lines_when_all_ranks_print_the_same(program: Start) -> None:
    lines = ran(
        program,
        """
procs, mesh = printers(3, aggregate_window=20)
mesh.say.call("same").get(30)
mesh.slice(r=slice(0, 2)).say.call("of two").get(30)
""",
    )
    assert lines == [
        "[printer{r=0-2}] [3 similar lines] same",
        "[printer{r=0-1}] [2 similar lines] of two",
    ]


def test_settings_when_prefix_and_aggregation_are_off(program: Start) -> None:
    body = "procs, mesh = printers(2, prefix_logs=False, aggregate_window=0)\n"
    assert ran(program, body + "mesh.say.call('same').get(30)") == ["same", "same"]


def test_output_when_forwarding_is_off(program: Start) -> None:
    body = """
procs, mesh = printers(1, log_forwarding=False)
try:
    mesh.die.call().get(30)
except ra.SupervisionError as error:
    print(*sorted(error.failure.output_tail), sep=", ")
"""
    assert ran(program, body) == ["and an error, last words"]


def test_last_lines_when_a_process_is_killed(program: Start) -> None:
    lines = ran(
        program,
        """
procs, mesh = printers(2)
mesh.many.call(3000).get(30)
try:
    mesh.slice(r=1).die.call().get(30)
except ra.SupervisionError as error:
    tail = error.failure.output_tail
assert {"and an error", "last words", "the last of them"} <= set(tail), tail
""",
    )
    assert "[printer{r=1}] last words" in lines
    assert "[workers{r=1}] and an error" in lines
    said = [line for line in lines if line.endswith("x" * 100)]
    assert sum(2 if "[2 similar lines]" in line else 1 for line in said) == 6000


def test_lines_when_threads_print_parts_of_them(program: Start) -> None:
    lines = ran(
        program,
        """
procs, mesh = printers(1, aggregate_window=0)
other = procs.spawn("other", Printer)
futures = [mesh.parts.call("abcdefgh", 200), other.parts.call("12345678", 200)]
for future in futures: future.get(30)
""",
    )
    assert sorted(lines) == ["[other{r=0}] 12345678"] * 200 + ["[printer{r=0}] abcdefgh"] * 200


def test_lines_when_a_fork_of_a_process_prints(program: Start) -> None:
    lines = ran(program, "procs, mesh = printers(1)\nmesh.forks.call().get(30)")
    assert sorted(lines) == [
        "[printer{r=0}] half ",
        "[printer{r=0}] of the child",
        "[printer{r=0}] whole",
    ]


def test_options_when_a_mesh_has_its_own(program: Start) -> None:
    lines = ran(
        program,
        """
procs, mesh = printers(2)
procs.logging_option(level=logging.ERROR).get(30)
mesh.say.call("not shown").get(30)
procs.logging_option(stream_to_client=True, level=logging.WARNING).get(30)
mesh.say.call("each").get(30)
mesh.slice(r=0).log.call().get(30)
procs.logging_option(stream_to_client=True, aggregate_window_sec=30, level=logging.INFO).get(30)
mesh.slice(r=1).log.call().get(30)
mesh.say.call("together").get(30)
""",
    )
    assert sorted(lines) == sorted(
        [
            "[printer{r=0}] each",
            "[printer{r=1}] each",
            "[printer{r=0}] WARNING:mine:a warning",
            "[printer{r=1}] INFO:mine:an info",
            "[printer{r=1}] WARNING:mine:a warning",
            "[printer{r=0-1}] [2 similar lines] together",
        ]
    )


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"aggregate_window_sec": 3}, "stream_to_client is False"),
        ({"stream_to_client": True, "aggregate_window_sec": -1}, "0 or more"),
        ({"level": 300}, "0 to 255"),
    ],
)
def test_options_when_they_cannot_be(procs: ra.ProcMesh, keys: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        procs.logging_option(**keys)  # type: ignore[arg-type]


LIVES = "\nthreading.Event().wait(60)\n"


@pytest.mark.parametrize(
    ("window", "body", "line"),
    [
        (0.2, "mesh.slice(r=1).say.call('alone').get(30)", "[printer{r=1}] alone"),
        (60, "mesh.say.call('all').get(30)", "[printer{r=0-1}] [2 similar lines] all"),
        (60, "mesh.slice(r=1).die.call().exception(30)", "[printer{r=1}] last words"),
        (60, "mesh.slice(r=1).draw.call().get(30)", "[printer{r=1}] 50%"),
    ],
)
def test_a_line_when_the_program_goes_on(
    program: Start, window: float, body: str, line: str
) -> None:
    script = program(f"{HEAD}procs, mesh = printers(2, aggregate_window={window})\n{body}{LIVES}")
    end = time.monotonic() + SECONDS
    with script._changed:
        while f"{line}\n" not in script._lines:
            assert script._changed.wait(end - time.monotonic()), script._lines


def start_unread(tmp_path: Path, body: str) -> "subprocess.Popen[bytes]":
    """Start a program whose output is a pipe that nobody reads yet."""
    path = tmp_path / "program.py"
    path.write_text(HEAD + body)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(path)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, cwd=tmp_path)


def wait_for(path: Path) -> None:
    """Wait for a file, which the program makes."""
    end = time.monotonic() + SECONDS
    while not path.exists():
        assert time.monotonic() < end
        select.select([], [], [], 0.02)


def test_workers_when_nobody_reads_their_output(tmp_path: Path) -> None:
    program = start_unread(
        tmp_path,
        """
procs, mesh = printers(2, log_buffer="64KiB", prefix_logs=False, aggregate_window=0)
mesh.many.call(20000).get(30)
try:
    mesh.slice(r=1).die.call().get(30)
except ra.SupervisionError as error:
    open("tail", "w").write(repr(error.failure.output_tail))
open("done", "w").close()
sys.stdin.read()
""".replace("sys.stdin.read()", "os.read(os.open('go', os.O_RDONLY), 1)"),
    )
    os.mkfifo(tmp_path / "go")
    wait_for(tmp_path / "done")
    tail = (tmp_path / "tail").read_text()
    assert "'last words'" in tail
    assert "'and an error'" in tail
    (tmp_path / "go").write_bytes(b"x")
    out, _ = program.communicate(timeout=SECONDS)
    assert program.returncode == 0
    lines = out.decode().splitlines()
    assert any(" bytes of output were dropped here" in line for line in lines)
    assert lines.count("the last of them") == 2
    assert "last words" in lines
    assert len(out) < 2 << 20


def test_the_end_of_a_program_when_nobody_reads_its_output(tmp_path: Path) -> None:
    program = start_unread(
        tmp_path,
        """
from runtime.actor.logs import output
output._PATIENCE = 0.3
sys.stderr = open("errors", "w")
procs, mesh = printers(1, aggregate_window=0)
mesh.many.call(20000).get(30)
""",
    )
    assert program.wait(SECONDS) == 0
    assert (
        "lines of output were not read in 0.3 s, and are lost" in (tmp_path / "errors").read_text()
    )
    assert program.stdout is not None
    program.stdout.close()


@pytest.mark.parametrize(
    ("count", "tail"),
    [
        (0, []),
        (1, ["trouble"]),
        (3, ["error", "trouble", "out 99"]),
        (4, ["error", "trouble", "out 98", "out 99"]),
    ],
)
def test_the_tail_when_one_stream_says_more(count: int, tail: list[str]) -> None:
    streams = output.Streams.__new__(output.Streams)
    said = [(0, "before"), (1, "error"), (1, "trouble"), *((0, f"out {i}") for i in range(100))]
    streams._lines = deque(said)
    assert streams.tail(count) == tail


def test_lines_when_they_come_from_another_host(capsys: pytest.CaptureFixture[str]) -> None:
    """Two forwarders stand for two hosts: what the one relays the other accepts."""
    node = core.make_node(7 << 32, {})
    here, there = output.Forwarder(node), output.Forwarder(node)
    relayed = threading.Event()

    def relay(rows: list[output.Row], flush: bool) -> None:  # noqa: FBT001 - of the forwarder
        here.accept(rows)
        if flush:
            here.flush()
            relayed.set()

    there.relay = relay
    there.accept([(0, 30.0, 3, "worker", "r=1", "same"), (1, 0.0, 3, "worker", "r=1", "an error")])
    here.accept([(0, 30.0, 3, "worker", "r=0", "same")])
    there.flush()
    assert relayed.wait(SECONDS)
    there.close()
    here.close()
    told = capsys.readouterr()
    assert told.out == "[worker{r=0-1}] [2 similar lines] same\n"
    assert told.err == "[worker{r=1}] an error\n"


def test_the_end_of_a_program_when_its_output_is_read_slowly(tmp_path: Path) -> None:
    program = start_unread(
        tmp_path,
        """
from runtime.actor.logs import output
output._PATIENCE = 0.5
procs, mesh = printers(1, aggregate_window=0, prefix_logs=False, log_buffer="16MiB")
mesh.many.call(9000).get(30)
""",
    )
    assert program.stdout is not None
    parts = []
    while part := os.read(program.stdout.fileno(), 1 << 15):
        parts.append(part)
        select.select([], [], [], 0.05)  # all of it takes longer than its patience with each part
    program.stdout.close()
    assert program.wait(SECONDS) == 0
    lines = b"".join(parts).decode().splitlines()
    assert lines == [*(f"{number} {'x' * 100}" for number in range(9000)), "the last of them"]


def test_lines_when_they_go_to_both_streams(capsys: pytest.CaptureFixture[str]) -> None:
    outlet = Outlet()
    long = "é" * 2500
    for number, line in enumerate(["a", long, "b", "c"]):
        outlet.put(number % 2, line)
    assert outlet.lines == 4
    outlet.write()
    assert outlet.lines == 0
    told = capsys.readouterr()
    assert told.out == "a\nb\n"
    assert told.err == f"{long}\nc\n"


def test_lines_when_too_many_wait(capsys: pytest.CaptureFixture[str]) -> None:
    outlet = Outlet()
    for number in range(20):
        outlet.put(0, f"{number} " + "x" * (1 << 20))
    outlet.write()
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "(5 lines of output were dropped here)"
    assert [line.split()[0] for line in rest] == [str(number) for number in range(5, 20)]
