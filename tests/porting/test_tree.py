"""Reading an input tree."""

import os
import re
from pathlib import Path

import pytest

from porting.errors import InputError
from porting.patterns import PathPatterns
from porting.tree import Kind, read_tree


def _fill(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(os.fsencode(name))


def test_read_tree_gives_entries_sorted_by_path_when_it_reads_a_folder(tmp_path: Path) -> None:
    _fill(tmp_path, "b.cu", "a/c.h", "a/b.py", "Z.CU")
    (tmp_path / "empty").mkdir()
    tree = read_tree(tmp_path)
    assert [(e.path, e.kind) for e in tree.entries] == [
        ("Z.CU", Kind.SOURCE),
        ("a", Kind.FOLDER),
        ("a/b.py", Kind.FILE),
        ("a/c.h", Kind.SOURCE),
        ("b.cu", Kind.SOURCE),
        ("empty", Kind.FOLDER),
    ]
    assert [(s.path, s.data) for s in tree.sources] == [
        ("Z.CU", b"Z.CU"),
        ("a/c.h", b"a/c.h"),
        ("b.cu", b"b.cu"),
    ]
    assert tree.paths == {"Z.CU", "a/b.py", "a/c.h", "b.cu"}


@pytest.mark.parametrize("name", [".git", ".hg", ".svn", "sub/.git", ".jj"])
def test_read_tree_leaves_version_control_out_when_there_is_some(tmp_path: Path, name: str) -> None:
    _fill(tmp_path, f"{name}/config.h", "a.cu", "sub/.gitignore")
    assert read_tree(tmp_path).paths == {"a.cu", "sub/.gitignore"}


def test_read_tree_leaves_out_a_git_file_when_the_tree_is_a_submodule(tmp_path: Path) -> None:
    _fill(tmp_path, ".git", "a.cu")
    assert read_tree(tmp_path).paths == {"a.cu"}


def test_read_tree_leaves_out_what_is_excluded(tmp_path: Path) -> None:
    _fill(tmp_path, "third_party/a.cu", "src/a.cu", "src/gen/b.cu")
    tree = read_tree(tmp_path, exclude=PathPatterns(["third_party", "src/gen"]))
    assert [e.path for e in tree.entries] == ["src", "src/a.cu"]


def test_read_tree_makes_a_source_a_plain_file_when_it_is_verbatim(tmp_path: Path) -> None:
    _fill(tmp_path, "a.cu", "gen/b.cu")
    tree = read_tree(tmp_path, verbatim=PathPatterns(["gen"]))
    assert [(e.path, e.kind) for e in tree.entries] == [
        ("a.cu", Kind.SOURCE),
        ("gen", Kind.FOLDER),
        ("gen/b.cu", Kind.FILE),
    ]


def test_read_tree_never_follows_links(tmp_path: Path) -> None:
    _fill(tmp_path, "real/a.cu")
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "twin").symlink_to("real")
    (tmp_path / "gone.cu").symlink_to("nowhere")
    tree = read_tree(tmp_path)
    assert [(e.path, e.link) for e in tree.entries if e.kind is Kind.LINK] == [
        ("gone.cu", "nowhere"),
        ("loop", "."),
        ("self", "self"),
        ("twin", "real"),
    ]
    assert tree.paths == {"real/a.cu"}


def test_read_tree_reports_a_pipe_as_special_when_there_is_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.cu")
    assert [(e.path, e.kind) for e in read_tree(tmp_path).entries] == [("pipe.cu", Kind.SPECIAL)]


def test_read_tree_leaves_out_what_cmake_built(tmp_path: Path) -> None:
    _fill(tmp_path, "a.cu", "build/CMakeCache.txt", "build/made.cu", "src/build/b.cu")
    entries = [(e.path, e.kind) for e in read_tree(tmp_path).entries if e.kind is not Kind.FOLDER]
    assert entries == [
        ("a.cu", Kind.SOURCE),
        ("build", Kind.BUILD),
        ("src/build/b.cu", Kind.SOURCE),
    ]


def test_read_tree_gives_one_source_when_the_input_is_a_file(tmp_path: Path) -> None:
    _fill(tmp_path, "a.cu", "b.cu")
    tree = read_tree(tmp_path / "a.cu")
    assert tree.single
    assert tree.root == tmp_path
    assert [s.path for s in tree.sources] == ["a.cu"]


def test_read_tree_keeps_names_that_are_no_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"andr\xe9.cu")
    _fill(tmp_path, name)
    assert read_tree(tmp_path).paths == {name}


def test_read_tree_says_what_is_missing_when_the_path_does_not_exist(tmp_path: Path) -> None:
    missing = tmp_path / "gone"
    message = f"^{re.escape(str(missing))} does not exist; check the path$"
    with pytest.raises(InputError, match=message):
        read_tree(missing)


def test_read_tree_says_so_when_the_input_is_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="loop cannot be read: too many levels of symbolic links"):
        read_tree(tmp_path / "loop")


def test_read_tree_refuses_a_device() -> None:
    with pytest.raises(InputError, match=r"^/dev/null is no file and no folder"):
        read_tree(Path("/dev/null"))
