"""`breakpoint()` in actors: who is told, and what a terminal of the debugger can do."""

import errno
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from runtime import dashboard
from runtime.actor.debugging.debugger import DebugController
from runtime.actor.debugging.sessions import Sessions
from runtime.dashboard.programs import Found
from runtime.telemetry import places
from tests.runtime.field.scripts import Script

SECONDS = 40.0
PROGRAM = """
import threading
from runtime.actor import Actor, endpoint, this_host

class Trainer(Actor):
    def __init__(self):
        self.step = 0
    @endpoint
    def train(self, value):
        breakpoint()
        self.step += value
        return self.step

class Async(Actor):
    @endpoint
    async def train(self, value):
        breakpoint()
        return value + 1

kind = {kind}
procs = this_host().spawn_procs({{"gpus": {size}}})
trainers = procs.spawn("trainer", kind)
print("result", list(trainers.train.call(5).get().values()), flush=True)
"""


class Typing:
    """`python -m runtime debug`, and what it has printed."""

    def __init__(self, pid: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "runtime", "debug", "--pid", str(pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            bufsize=0,
        )
        self.text = ""
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while piece := os.read(self.process.stdout.fileno(), 4096):
            with self._changed:
                self.text += piece.decode()
                self._changed.notify_all()

    def type(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def say(self, line: str, *ends: str) -> str:
        """Type a line, and return what comes up to one of these texts, which is taken."""
        if line:
            self.type(line)
        with self._changed:
            assert self._changed.wait_for(lambda: any(end in self.text for end in ends), SECONDS), (
                self.text
            )
            end = next(end for end in ends if end in self.text)
            said, _, self.text = self.text.partition(end)
        return said

    def close(self) -> int:
        """End it as the end of its input does."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        status = self.process.wait(SECONDS)
        self._reader.join(SECONDS)
        self.process.stdout.close()
        return status


@pytest.fixture
def typing() -> Iterator[Callable[[int], Typing]]:
    """Return a function that opens a terminal; all are ended after the test."""
    opened: list[Typing] = []

    def start(pid: int) -> Typing:
        opened.append(Typing(pid))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def told(script: Script, count: int) -> str:
    """Wait until so many breakpoints are told of."""
    end = time.monotonic() + SECONDS
    while script.out.count("breakpoint: ") < count:
        assert time.monotonic() < end, script.out
        time.sleep(0.01)
    return script.out


def test_breakpoint_when_a_terminal_attaches(
    program: Callable[[str], Script], typing: Callable[[int], Typing]
) -> None:
    script = program(PROGRAM.format(kind="Trainer", size=1))
    assert f"trainer{{gpus=0}} in Trainer.train ({script.path}:" in told(script, 1)
    one = typing(script.pid)
    listed = one.say("", "debug> ")
    assert listed.startswith("1  trainer{gpus=0} in Trainer.train")
    assert "self.step += value" in one.say("attach 1", "(Pdb) ")
    assert one.say("p self.step, value", "(Pdb) ") == "(0, 5)\n"
    one.say("self.step = 100", "(Pdb) ")
    assert "return self.step" in one.say("n", "(Pdb) ")
    one.say("detach", "stands still\ndebug> ")
    assert "trainer{gpus=0} in Trainer.train" in one.say("attach 1", "(Pdb) ")
    assert one.say("p self.step", "(Pdb) ") == "105\n"
    one.say("c", "trainer{gpus=0} goes on\ndebug> ")
    assert script.finish(SECONDS) == 0
    assert "result [105]" in script.out
    assert one.close() == 0


def test_breakpoint_when_many_stand(
    program: Callable[[str], Script], typing: Callable[[int], Typing]
) -> None:
    script = program(PROGRAM.format(kind="Trainer", size=3))
    told(script, 3)
    one = typing(script.pid)
    assert len(one.say("", "debug> ").splitlines()) == 3
    for words, count in (
        ("ranks(gpus=0:2) self.step = 10", 2),
        ("ranks(2) self.step = 20", 1),
        ("ranks(gpus=7) self.step = 30", 0),
        ("ranks() p 1", 3),
    ):
        assert one.say(f"cast trainer {words}", "debug> ").startswith(f"given to {count} actors")
    assert one.say("cast other ranks() p 1", "debug> ").startswith("no mesh 'other' is at a")
    assert one.say("cast trainer ranks(x", "debug> ").startswith("write it like")
    assert one.say("cast trainer ranks(x) p", "debug> ").startswith("'x' are no ranks")
    assert one.say("attach 9", "debug> ").startswith("no actor with number '9'")
    assert one.say("dance", "debug> ").startswith("there is no command 'dance'")
    assert "attach NUMBER" in one.say("help", "debug> ")
    assert one.say("continue", "debug> ") == "3 actors go on\n"
    assert script.finish(SECONDS) == 0
    assert "result [15, 15, 25]" in script.out


def test_breakpoint_when_a_terminal_quits(
    program: Callable[[str], Script], typing: Callable[[int], Typing]
) -> None:
    script = program(PROGRAM.format(kind="Async", size=1))
    told(script, 1)
    one, two = typing(script.pid), typing(script.pid)
    one.say("", "debug> ")
    one.say("attach 1", "(Pdb) ")
    two.say("", "debug> ")
    assert two.say("attach 1", "debug> ").startswith("another terminal is attached")
    assert one.close() == 0
    while "another" in two.say("attach 1", "debug> ", "(Pdb) "):  # it hears of the end later
        pass
    two.say("c", "goes on\ndebug> ")
    assert script.finish(SECONDS) == 0
    assert "result [6]" in script.out


def test_breakpoint_when_the_program_ends_with_it(program: Callable[[str], Script]) -> None:
    """The actor waits for its terminal, which reads late, before it goes on."""
    script = program("import os\n" + PROGRAM.format(kind="Trainer", size=1) + "os._exit(0)\n")
    told(script, 1)
    (place,) = (each for each in dashboard.find("debug") if each.pid == script.pid)
    folder = places.open_private(place.folder, make=False)
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(places.path_of(folder, place.name))
        os.close(folder)
        one.settimeout(SECONDS)
        one.sendall(b"attach 1\np 'x' * (1 << 20)\nc\n")
        with suppress(subprocess.TimeoutExpired):  # it has not ended, unless the actor went on
            script.wait(1.0)
        text = b""
        while piece := one.recv(1 << 16):
            text += piece
    assert text.endswith(b"x'\n(Pdb) trainer{gpus=0} goes on\ndebug> ")
    assert script.finish(SECONDS) == 0


def test_terminal_when_the_debugger_takes_no_lines_any_more(tmp_path: Path) -> None:
    """As between its end and the terminal's hearing of it."""
    source, typed = os.pipe()
    shown, target = os.pipe()
    folder = places.open_private(str(tmp_path), make=False)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(places.path_of(folder, "one.debug"))
        listener.listen()
        place = Found(os.getpid(), str(tmp_path), "one.debug")
        talking = threading.Thread(target=dashboard.talk, args=(place, source, target))
        talking.start()
        with listener.accept()[0] as connection:
            connection.shutdown(socket.SHUT_RD)
            os.write(typed, b"list\n")
            connection.sendall(b"bye")
            assert os.read(shown, 3) == b"bye"
            os.write(typed, b"list\n")
        talking.join(SECONDS)
        assert not talking.is_alive()
    for fd in (source, typed, shown, target, folder):
        os.close(fd)


def test_debug_when_nothing_stands() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "runtime", "debug", "--pid", "1"],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        timeout=SECONDS,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "process 1 is no running program of this user\n"


class Crowded:
    """A socket that listens in a process without free descriptors, then with one, then closed."""

    def __init__(self, connection: socket.socket) -> None:
        self._steps: list[socket.socket | OSError] = [
            OSError(errno.EMFILE, "too many open files"),
            connection,
        ]

    def accept(self) -> tuple[socket.socket, None]:
        step = self._steps.pop(0) if self._steps else OSError(errno.EBADF, "closed")
        if isinstance(step, OSError):
            raise step
        return step, None

    def fileno(self) -> int:
        return 3 if self._steps else -1


def test_debugger_when_there_was_no_descriptor_for_a_terminal() -> None:
    ours, theirs = socket.socketpair()
    controller = object.__new__(DebugController)
    controller._sessions = Sessions()
    with ours, ours.makefile("r") as lines:
        controller._serve(Crowded(theirs))  # type: ignore[arg-type]
        ours.settimeout(SECONDS)
        assert "no actor" in lines.readline()
