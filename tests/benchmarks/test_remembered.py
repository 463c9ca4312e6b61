"""What clang said of a text is found again, and only for the same text, flags and clang."""

from pathlib import Path

import pytest

from benchmarks.real_trees.remembered import Outcome, Remembered


@pytest.fixture
def clang(tmp_path: Path) -> Path:
    """Return a compiler that knows its version."""
    program = tmp_path / "clang"
    program.write_text("#!/bin/sh\necho clang version 19\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    "outcome", [Outcome(), Outcome(missing="a.h"), Outcome(error="a.cu:1: no such type")]
)
def test_outcome_is_found_when_it_was_kept(clang: Path, tmp_path: Path, outcome: Outcome) -> None:
    kept = Remembered(tmp_path / "kept", str(clang))
    key = kept.key(b"int x;", ("-O1",))
    assert kept.get(key) is None
    kept.put(key, outcome)
    assert Remembered(tmp_path / "kept", str(clang)).get(key) == outcome
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [key]


def test_key_differs_when_text_flags_or_compiler_do(clang: Path, tmp_path: Path) -> None:
    kept = Remembered(tmp_path, str(clang))
    keys = [kept.key(b"int x;", ("-O1",)), kept.key(b"int y;", ("-O1",)), kept.key(b"int x;", ())]
    clang.write_text("#!/bin/sh\necho clang version 20\n")
    keys.append(Remembered(tmp_path, str(clang)).key(b"int x;", ("-O1",)))
    assert len(set(keys)) == 4
