"""Ctrl-C and its kin end a run at any moment with one line and nothing half-written."""

import ctypes
import os
import pty
import select
import signal
import struct
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]
MakeTree = Callable[[Mapping[str, str | bytes]], Path]
Start = Callable[..., "subprocess.Popen[str]"]

CUDA = "#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n"
PORT = ("port", "src", "-o", "out", "--no-verify")
# Enough files that writing them takes many times as long as a signal needs to arrive.
MANY = 1500
_IN_CREATE = 0x100
_TIMEOUT = 40

pytestmark = [pytest.mark.xdist_group("signals"), pytest.mark.usefixtures("signals_that_end")]


class _Watch:
    """Tells when something appears in a folder, by inotify: no polling, no sleeping."""

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._file = self._libc.inotify_init1(os.O_CLOEXEC)
        self.add(folder)

    def add(self, folder: Path) -> None:
        assert self._libc.inotify_add_watch(self._file, os.fsencode(folder), _IN_CREATE) >= 0

    def wait(self, prefix: str = ".out.porting-") -> str:
        """Return the name of the next thing that is created and whose name starts like this."""
        while not (found := [name for name in self._names() if name.startswith(prefix)]):
            pass
        return found[0]

    def wait_inside(self, folder: Path) -> None:
        """Wait until there is something in a folder."""
        self.add(folder)
        if not any(folder.iterdir()):
            self.wait("")

    def _names(self) -> list[str]:
        """Wait for events and return the names in them."""
        ready, _, _ = select.select([self._file], [], [], _TIMEOUT)
        assert ready, "nothing was created"
        data = os.read(self._file, 64 * 1024)
        names, at = [], 0
        while at < len(data):
            (length,) = struct.unpack_from("I", data, at + 12)
            names.append(data[at + 16 : at + 16 + length].rstrip(b"\0").decode())
            at += 16 + length
        return names

    def close(self) -> None:
        os.close(self._file)


@contextmanager
def _watch(folder: Path) -> Iterator[_Watch]:
    watch = _Watch(folder)
    try:
        yield watch
    finally:
        watch.close()


@pytest.fixture
def start(arguments: list[str], environment: dict[str, str], tmp_path: Path) -> Start:
    """Return a function that starts the command in a process group of its own."""

    def run(*words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*arguments, *words],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    return run


def _ended(process: "subprocess.Popen[str]", code: int, why: str) -> None:
    """Check that a run ended with one line."""
    out, err = process.communicate(timeout=_TIMEOUT)
    assert (process.returncode, out) == (code, "")
    assert err == f"porting: {why}; nothing half-written is left\n"


def _names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def _many(number: int = MANY, text: str = CUDA) -> dict[str, str | bytes]:
    return {f"{n:04}.cu": text for n in range(number)}


@pytest.mark.parametrize(
    "ending",
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "ended by SIGTERM"),
        (signal.SIGHUP, 129, "ended by SIGHUP"),
    ],
)
def test_signal_while_the_output_is_written(
    start: Start,
    make_tree: MakeTree,
    tmp_path: Path,
    ending: tuple[signal.Signals, int, str],
) -> None:
    number, code, why = ending
    make_tree(_many())
    with _watch(tmp_path) as watch:
        process = start(*PORT)
        watch.wait()
        process.send_signal(number)
        _ended(process, code, why)
    assert _names(tmp_path) == ["src"]


def test_signal_keeps_the_former_output(
    start: Start,
    command: Command,
    make_tree: MakeTree,
    tmp_path: Path,
) -> None:
    source = make_tree({"former.cu": CUDA})
    command(*PORT)
    (source / "former.cu").unlink()
    make_tree(_many())
    with _watch(tmp_path) as watch:
        process = start(*PORT)
        watch.wait()
        process.send_signal(signal.SIGINT)
        _ended(process, 130, "interrupted")
    assert _names(tmp_path) == ["out", "src"]
    assert _names(tmp_path / "out") == [".porting-manifest.json", "former.cu"]


def test_second_signal_does_not_cut_the_cleaning_up_short(
    start: Start, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree(_many())
    with _watch(tmp_path) as watch:
        process = start(*PORT)
        watch.wait()
        for _ in range(5):
            process.send_signal(signal.SIGINT)
        _ended(process, 130, "interrupted")
    assert _names(tmp_path) == ["src"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_in_a_terminal_while_sources_are_ported(
    arguments: list[str],
    environment: dict[str, str],
    make_tree: MakeTree,
    tmp_path: Path,
    jobs: str,
) -> None:
    """The whole group gets the signal, workers too, once the progress bar is drawn."""
    make_tree(_many(60, CUDA * 1000))
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [*arguments, *PORT, "--jobs", jobs],
            cwd=tmp_path,
            env={**environment, "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            process_group=0,
        )
        os.close(theirs)
        drawn = b""
        while b"porting" not in drawn:
            drawn += os.read(ours, 4096)
        os.killpg(process.pid, signal.SIGINT)
        drawn += _rest(ours)
        out, _ = process.communicate(timeout=_TIMEOUT)
    finally:
        os.close(ours)
    assert (process.returncode, out) == (130, b"")
    assert drawn.rstrip().endswith(b"porting: interrupted; nothing half-written is left")
    assert b"Traceback" not in drawn
    assert _names(tmp_path) == ["src"]


def _rest(terminal: int) -> bytes:
    """Read a terminal until nobody has it open any more, workers included."""
    found = b""
    while select.select([terminal], [], [], _TIMEOUT)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # EIO: the last writer is gone
            return found
        if not data:
            return found
        found += data
    raise AssertionError("something still has the terminal open")


def test_killed_run_leaves_a_folder_that_the_next_run_removes(
    start: Start,
    command: Command,
    make_tree: MakeTree,
    tmp_path: Path,
) -> None:
    make_tree(_many())
    with _watch(tmp_path) as watch:
        process = start(*PORT)
        left = watch.wait()
        watch.wait_inside(tmp_path / left)
        process.kill()
        process.communicate(timeout=_TIMEOUT)
    assert _names(tmp_path) == [left, "src"]
    assert command(*PORT).returncode == 0
    assert _names(tmp_path) == ["out", "src"]


def test_two_runs_at_once_do_not_disturb_each_other(
    start: Start,
    command: Command,
    make_tree: MakeTree,
    tmp_path: Path,
) -> None:
    make_tree(_many())
    with _watch(tmp_path) as watch:
        first = start(*PORT)
        watch.wait()
        second = command(*PORT)
        out, err = first.communicate(timeout=_TIMEOUT)
    assert (first.returncode, second.returncode) == (0, 0), out + err + second.stderr
    assert _names(tmp_path) == ["out", "src"]
    assert len(_names(tmp_path / "out")) == MANY + 1


def test_ignored_interrupt_stays_ignored(
    make_tree: MakeTree, arguments: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    """A run in the background of a script (`porting ... &`) is not the one that Ctrl-C means."""
    make_tree(_many())
    words = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *arguments, *PORT]
    with _watch(tmp_path) as watch:
        process = subprocess.Popen(
            words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
        )
        watch.wait()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_TIMEOUT)
    assert process.returncode == 0
    assert len(_names(tmp_path / "out")) == MANY + 1


@pytest.mark.toolchain
@pytest.mark.usefixtures("sysroot")
def test_signal_while_the_output_is_compiled_leaves_the_whole_output_and_no_compiler(
    arguments: list[str], environment: dict[str, str], make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree(_many(40))
    (tmp_path / "scratch").mkdir()
    with _watch(tmp_path / "scratch") as watch:
        process = subprocess.Popen(
            [*arguments, "port", "src", "-o", "out"],
            cwd=tmp_path,
            env={**environment, "TMPDIR": str(tmp_path / "scratch")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        watch.wait_inside(tmp_path / "scratch" / watch.wait("porting-verify-"))
        process.send_signal(signal.SIGINT)
        _ended(process, 130, "interrupted")
    assert _names(tmp_path / "scratch") == []
    assert len(_names(tmp_path / "out")) == 41


# Like ninja's, what it starts is in a group of its own.
STUBBORN = """\
all:
\tsetsid sh -c 'sleep 600 & echo $$! > $(PLACE)/child; echo ready > $(PLACE)/pipe; wait' & wait
"""


@pytest.mark.toolchain
@pytest.mark.usefixtures("sysroot")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_signal_while_the_output_is_built_leaves_no_process(
    arguments: list[str],
    environment: dict[str, str],
    make_tree: MakeTree,
    tmp_path: Path,
    number: signal.Signals,
) -> None:
    """What SIGKILL leaves in the temporary folder is removed by the next run."""
    make_tree({"a.cu": CUDA, "Makefile": STUBBORN})
    (tmp_path / "scratch").mkdir()
    os.mkfifo(tmp_path / "pipe")
    words = [*arguments, "port", "src", "-o", "out", "--arch", "gfx942", "--build"]
    places = {"TMPDIR": str(tmp_path / "scratch"), "PLACE": str(tmp_path)}
    process = subprocess.Popen(
        words,
        cwd=tmp_path,
        env={**environment, **places},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert (tmp_path / "pipe").read_text() == "ready\n"
    child = os.pidfd_open(int((tmp_path / "child").read_text()))
    try:
        process.send_signal(number)
        assert select.select([child], [], [], _TIMEOUT)[0] == [child]
    finally:
        os.close(child)
    if number is signal.SIGINT:
        _ended(process, 130, "interrupted")
    else:
        process.communicate(timeout=_TIMEOUT)
        assert [name[:14] for name in _names(tmp_path / "scratch")] == ["porting-build-"]
        (tmp_path / "src/Makefile").write_text("all:\n")
        subprocess.run(
            words,
            cwd=tmp_path,
            env={**environment, **places},
            stdout=subprocess.DEVNULL,
            timeout=50,
            check=False,
        )
    assert _names(tmp_path / "scratch") == []
