"""Files are replaced whole, and several of them all or none."""

import os
from pathlib import Path

import pytest

from porting.errors import OutputError
from porting.output.replacing import replace_files, write_file


def _names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_write_file_replaces_and_sets_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text("old")
    write_file(path, b"new", 0o751)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o751
    assert _names(tmp_path) == ["a.cu"]


def test_write_file_follows_the_umask_when_no_mode_is_given(tmp_path: Path) -> None:
    former = os.umask(0o027)
    try:
        write_file(tmp_path / "a", b"")
    finally:
        os.umask(former)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_write_file_refuses_a_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"cannot be written: is a directory; nothing was"):
        write_file(tmp_path, b"")


def test_write_file_says_so_when_the_folder_is_missing(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="gone/a cannot be written: no such file or directory"):
        write_file(tmp_path / "gone/a", b"")


def test_replace_files_changes_none_when_one_cannot_be_written(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "gone/b"
    first.write_text("old")
    with pytest.raises(OutputError, match="cannot be written"):
        replace_files({first: b"new", second: b"new"})
    assert first.read_text() == "old"
    assert _names(tmp_path) == ["a"]


def test_replace_files_puts_the_former_files_back_when_a_rename_fails(tmp_path: Path) -> None:
    first, new, folder = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    first.write_text("old")
    folder.mkdir()
    with pytest.raises(OutputError, match="cannot be written: operation not permitted"):
        replace_files({first: b"new", new: b"new", folder: b"new"})
    assert first.read_text() == "old"
    assert _names(tmp_path) == ["a", "c"]


def test_replace_files_writes_those_that_are_not_there_yet(tmp_path: Path) -> None:
    first, new = tmp_path / "a", tmp_path / "b"
    first.write_text("old")
    replace_files({first: b"new", new: b"new"})
    assert (first.read_text(), new.read_text()) == ("new", "new")
    assert _names(tmp_path) == ["a", "b"]


def test_replace_files_leaves_nothing_beside_them(tmp_path: Path) -> None:
    files = {tmp_path / name: name.encode() for name in ("a", "b", "c")}
    for path in files:
        path.write_text("old")
    replace_files(files)
    assert {p: p.read_bytes() for p in sorted(tmp_path.iterdir())} == files
