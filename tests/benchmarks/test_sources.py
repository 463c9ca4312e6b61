"""A unit is known again while the files of the tree that it was made of are the same."""

from pathlib import Path

import pytest

from benchmarks.real_trees.sources import Sources

FLAGS = ("-O1",)
TEXT = b'# 1 "csrc/op.cu"\n# 1 "<built-in>" 1\n# 1 "%s/csrc/op.h" 1\n# 1 "/usr/include/a.h" 1\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a tree with a unit and a header."""
    root = tmp_path / "tree"
    (root / "csrc").mkdir(parents=True)
    for name in ("op.cu", "op.h", "other.h"):
        (root / "csrc" / name).write_text(name)
    return root


@pytest.fixture
def sources(tmp_path: Path, tree: Path) -> Sources:
    """Return what is known once the unit was preprocessed."""
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / "a.h").write_text("a")
    kept = Sources(tmp_path / "kept", (tmp_path / "system",))
    text = TEXT.replace(b"%s", str(tree).encode())
    kept.keep(tree, "csrc/op.cu", FLAGS, text, {"key": "k"})
    return kept


def test_unit_is_known_when_nothing_changed(sources: Sources, tree: Path, tmp_path: Path) -> None:
    (tree / "csrc" / "other.h").write_text("changed, and not included")
    assert sources.find(tree, "csrc/op.cu", FLAGS) == {"key": "k"}
    moved = tree.rename(tmp_path / "moved")
    assert sources.find(moved, "csrc/op.cu", FLAGS) == {"key": "k"}


@pytest.mark.parametrize("name", ["op.cu", "op.h"])
def test_unit_is_not_known_when_a_file_changed_or_is_gone(
    sources: Sources, tree: Path, name: str
) -> None:
    (tree / "csrc" / name).write_text("changed")
    assert sources.find(tree, "csrc/op.cu", FLAGS) is None
    (tree / "csrc" / name).unlink()
    assert sources.find(tree, "csrc/op.cu", FLAGS) is None


def test_unit_is_not_known_when_flags_or_headers_of_others_differ(
    sources: Sources, tree: Path, tmp_path: Path
) -> None:
    assert sources.find(tree, "csrc/op.cu", ("-O2",)) is None
    (tmp_path / "system" / "a.h").write_text("longer")
    newer = Sources(sources.folder, sources.system)
    assert newer.find(tree, "csrc/op.cu", FLAGS) is None


def test_both_are_known_when_two_conversions_have_the_same_unit(
    sources: Sources, tree: Path
) -> None:
    (tree / "csrc" / "op.h").write_text("the other's")
    text = TEXT.replace(b"%s", str(tree).encode())
    sources.keep(tree, "csrc/op.cu", FLAGS, text, {"missing": "x.h"})
    assert sources.find(tree, "csrc/op.cu", FLAGS) == {"missing": "x.h"}
    (tree / "csrc" / "op.h").write_text("op.h")
    assert sources.find(tree, "csrc/op.cu", FLAGS) == {"key": "k"}
