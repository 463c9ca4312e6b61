"""The cache: built once, complete or absent, whatever happens to the builder."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from porting.errors import ToolchainError
from porting.toolkits.cachedir import build_once, cache_root

# Starts to build PATH, says so, and goes on when a line comes in.
BUILDER = """
import sys
from pathlib import Path
from porting.toolkits.cachedir import build_once

def build(place):
    (place / "half").write_text("half")
    print("started", flush=True)
    sys.stdin.readline()
    (place / "whole").write_text("whole")

build_once(Path(sys.argv[1]), build)
"""


def start_builder(path: Path) -> subprocess.Popen[str]:
    """Start a process that is in the middle of building `path` when this returns."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUILDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    """Reap a builder and close its pipes."""
    process.communicate()


def write_whole(place: Path) -> None:
    (place / "whole").write_text("whole")


def names(folder: Path) -> list[str]:
    """Return what is in a folder, lock files aside."""
    return sorted(p.name for p in folder.iterdir() if not p.name.endswith(".lock"))


def test_build_when_finished(tmp_path: Path) -> None:
    path = tmp_path / "a/tree"
    assert build_once(path, write_whole) == path
    assert (path / "whole").read_text() == "whole"
    assert names(path.parent) == ["tree"]


def test_build_when_there_already(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    path.mkdir()

    def fail(_place: Path) -> None:
        raise AssertionError

    assert build_once(path, fail) == path


def test_build_when_it_raises(tmp_path: Path) -> None:
    path = tmp_path / "tree"

    def fail(place: Path) -> None:
        write_whole(place)
        message = "no"
        raise ToolchainError(message)

    with pytest.raises(ToolchainError, match=r"^no$"):
        build_once(path, fail)
    assert names(tmp_path) == []


def test_build_when_the_builder_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    process = start_builder(path)
    process.send_signal(signal.SIGKILL)
    end(process)
    assert not path.exists()
    assert len(names(tmp_path)) == 1  # the half-built folder, under another name
    build_once(path, write_whole)
    assert names(tmp_path) == ["tree"]
    assert names(path) == ["whole"]


def test_build_when_another_process_is_at_it(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    process = start_builder(path)
    built: list[Path] = []

    def fail(_place: Path) -> None:
        raise AssertionError

    thread = threading.Thread(target=lambda: built.append(build_once(path, fail)))
    thread.start()
    process.communicate("go\n")
    thread.join(timeout=30)
    assert built == [path]
    assert names(path) == ["half", "whole"]


def test_build_when_the_other_takes_too_long(tmp_path: Path) -> None:
    process = start_builder(tmp_path / "tree")
    with pytest.raises(ToolchainError, match=r"^another process has been building .* for 0 s; "):
        build_once(tmp_path / "tree", write_whole, timeout=0)
    process.communicate("go\n")


def test_build_when_the_disk_is_full(tmp_path: Path) -> None:
    def fill(_place: Path) -> None:
        Path("/dev/full").write_text("x")

    with pytest.raises(ToolchainError, match=r"^no space left on the disk of .*ECLOSION_CACHE"):
        build_once(tmp_path / "tree", fill)
    assert names(tmp_path) == []


def test_build_when_the_place_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(ToolchainError, match=r"^cannot build .*/cache/tree: .*ECLOSION_CACHE"):
        build_once(tmp_path / "cache/tree", write_whole)


def test_root_when_variables_are_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", "/somebody")
    monkeypatch.delenv("ECLOSION_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_root() == Path("/somebody/.cache/eclosion")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert cache_root() == Path("/somebody/.cache/eclosion")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "eclosion"
    monkeypatch.setenv("ECLOSION_CACHE", "/big/disk")
    assert cache_root() == Path("/big/disk")
