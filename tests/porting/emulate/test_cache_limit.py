"""What the emulator keeps in the cache: what was used last, and nothing that may be in use."""

import fcntl
import os
import time
from pathlib import Path

import pytest

from porting.emulate import cache_limit
from porting.emulate.cache_limit import entries, in_use, mark_used, trim

DAY = 86400
KIB = 1024
NOW = time.time()


def put(root: Path, name: str, kib: int, days: float) -> Path:
    """Put an entry of this size into the cache, last used so many days before NOW."""
    path = root / name
    files = [path.with_suffix(s) for s in (".o", ".json")] if "objects" in name else [path / "x.so"]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * (kib * KIB // len(files)))
    for each in (*files, *([path] if path.is_dir() else [])):
        os.utime(each, (NOW - days * DAY, NOW - days * DAY))
    return path


def names(root: Path) -> set[str]:
    """Return what is left, by the first path of each entry."""
    return {entry.paths[0].stem for entry in entries(root)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a cache with entries of each kind; `new` ones were used within a day."""
    put(tmp_path, "objects/oldest", 64, 9)
    put(tmp_path, "sidecars/older", 64, 8)
    put(tmp_path, "libraries/old", 64, 2)
    put(tmp_path, "objects/new", 64, 0.5)
    put(tmp_path, "sidecars/newer", 64, 0.1)
    (tmp_path / "sidecars" / ".older.lock").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("most", "left"),
    [
        (1024, {"oldest", "older", "old", "new", "newer"}),
        (300, {"older", "old", "new", "newer"}),
        (220, {"old", "new", "newer"}),
        (160, {"new", "newer"}),
        (0, {"new", "newer"}),
    ],
)
def test_entries_when_they_are_too_much_go_from_the_oldest(
    root: Path, most: int, left: set[str]
) -> None:
    trim(root, most * KIB, NOW)
    assert names(root) == left
    assert (root / "objects/oldest.o").exists() == (root / "objects/oldest.json").exists()
    assert (root / "sidecars/.older.lock").exists()  # others may wait for it


def test_an_entry_when_it_was_used_again_is_not_the_oldest(root: Path) -> None:
    mark_used(root / "objects/oldest.o")
    trim(root, 300 * KIB, NOW)
    assert "oldest" in names(root)
    assert "older" not in names(root)


def test_what_a_killed_process_left_goes_too(root: Path) -> None:
    put(root, "objects/.porting-emulate-x", 64, 9)
    put(root, "libraries/.cuda-1.building-x", 64, 9)
    trim(root, 0, NOW)
    assert names(root) == {"new", "newer"}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache that is to be emptied."""
    monkeypatch.setenv("ECLOSION_CACHE", str(tmp_path))
    monkeypatch.setattr(cache_limit, "MOST_BYTES", 0)
    return tmp_path / "emulate"


def test_cache_when_somebody_looks_for_what_it_needs(cache: Path) -> None:
    put(cache, "objects/old", 4, 9)
    with (cache / ".in-use.lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        with in_use():
            pass
        assert names(cache) == {"old"}
    with in_use():
        assert names(cache) == {"old"}
    assert names(cache) == set()


def test_cache_when_it_was_looked_at_within_an_hour(cache: Path) -> None:
    with in_use():
        pass
    put(cache, "objects/old", 4, 9)
    with in_use():
        pass
    assert names(cache) == {"old"}
    hours = time.time() - 2 * 3600
    os.utime(cache / ".trimmed", (hours, hours))
    with in_use():
        pass
    assert names(cache) == set()


def test_cache_when_what_is_needed_cannot_be_made_is_left(cache: Path) -> None:
    put(cache, "objects/old", 4, 9)
    with pytest.raises(ValueError, match="broken"), in_use():
        raise ValueError("broken")
    assert names(cache) == {"old"}
