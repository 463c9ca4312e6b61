"""Temporary folders: whose is removed, and whose is not."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from porting.processes import is_free, scratch_folder

REPOSITORY = Path(__file__).parents[3]
HOLDS = """\
import sys
from porting.processes import scratch_folder
with scratch_folder("porting-build-") as folder:
    (folder / "tree/deep").mkdir(parents=True)
    print(folder.name, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def holder(place: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", HOLDS],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(place)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def names(place: Path) -> list[str]:
    return sorted(item.name for item in place.iterdir())


def test_folder_when_the_run_ends(place: Path) -> None:
    with scratch_folder("porting-build-") as folder:
        (folder / "tree").mkdir()
        (folder / "link").symlink_to("/nowhere")
        assert names(place) == [folder.name]
    assert names(place) == []


def test_folder_when_its_run_was_killed(place: Path) -> None:
    (place / "porting-verify-mine").mkdir()
    process = holder(place)
    assert process.stdout is not None
    left = process.stdout.readline().strip()
    process.kill()
    process.communicate()
    assert names(place / left) == ["lock", "tree"]
    with scratch_folder("porting-build-"):
        assert left not in names(place)
    assert names(place) == ["porting-verify-mine"], "another prefix is not looked at"


def test_folder_when_its_run_lives(place: Path) -> None:
    process = holder(place)
    assert process.stdout is not None
    theirs = process.stdout.readline().strip()
    with scratch_folder("porting-build-") as folder:
        assert names(place) == sorted([theirs, folder.name])
    process.communicate()
    assert process.returncode == 0
    assert names(place) == []


def test_folder_when_it_was_made_a_moment_ago(place: Path) -> None:
    """Its maker has no lock yet, or was killed before."""
    (place / "porting-build-new").mkdir()
    (place / "porting-build-old").mkdir()
    os.utime(place / "porting-build-old", (0, 0))
    with scratch_folder("porting-build-"):
        pass
    assert names(place) == ["porting-build-new"]


def test_folder_when_the_name_is_a_link(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whoever else writes there names no folder for us to remove."""
    theirs = tmp_path_factory.mktemp("theirs")
    (theirs / "lock").touch()
    (place / "porting-build-link").symlink_to(theirs)
    with scratch_folder("porting-build-"):
        pass
    assert names(theirs) == ["lock"]


def test_folder_when_another_run_takes_it_for_dead(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its making and its lock; one is locked, one is gone, the third is used."""
    make = tempfile.mkdtemp
    made: list[Path] = []
    locks: list[int] = []

    def rival(**where: str) -> str:
        folder = Path(make(**where))
        made.append(folder)
        if len(made) == 1:
            locks.append(os.open(folder / "lock", os.O_RDWR | os.O_CREAT))
            assert is_free(locks[0])
        elif len(made) == 2:
            folder.rmdir()
        return str(folder)

    monkeypatch.setattr(tempfile, "mkdtemp", rival)
    with scratch_folder("porting-build-") as folder:
        assert [folder] == made[2:]
    os.close(locks[0])
