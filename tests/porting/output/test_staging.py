"""An output folder is there whole or not at all."""

import fcntl
import os
import re
from pathlib import Path

import pytest

from porting.errors import OutputError
from porting.output.manifest import Manifest
from porting.output.staging import StagedFolder, check_replaceable
from porting.tree import MANIFEST_NAME


def _names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def _port(output: Path, files: dict[str, str], *, force: bool = False) -> None:
    with StagedFolder(output, force=force) as folder:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)


def _contents(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): p.read_text()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name != MANIFEST_NAME
    }


def test_output_appears_with_its_manifest_when_the_block_ends(tmp_path: Path) -> None:
    out = tmp_path / "deep/er/out"
    _port(out, {"a/b.cu": "x"})
    assert _contents(out) == {"a/b.cu": "x"}
    assert _names(out.parent) == ["out"]
    manifest = Manifest.read(out)
    assert manifest is not None
    assert manifest.is_as_written(out, "a/b.cu")


def test_nothing_is_left_when_the_block_raises(tmp_path: Path) -> None:
    out = tmp_path / "deep/er/out"

    def fail(folder: Path) -> None:
        (folder / "a.cu").write_text("x")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), StagedFolder(out) as folder:
        fail(folder)
    assert _names(tmp_path) == []


def test_former_output_stays_when_the_block_raises(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _port(out, {"a.cu": "old"})
    with pytest.raises(ZeroDivisionError), StagedFolder(out) as folder:
        (folder / "a.cu").write_text(str(1 // 0))
    assert _contents(out) == {"a.cu": "old"}
    assert _names(tmp_path) == ["out"]


def test_an_os_error_of_the_block_is_told_as_the_outputs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    message = f"^{re.escape(str(out))} cannot be written: no space left on its disk; nothing was"
    with pytest.raises(OutputError, match=message), StagedFolder(out):
        raise OSError(28, "No space left on device")
    assert _names(tmp_path) == []


def test_earlier_output_is_replaced_when_nobody_changed_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _port(out, {"gone.cu": "1", "kept/a.cu": "2"})
    _port(out, {"kept/a.cu": "3", "new.cu": "4"})
    assert _contents(out) == {"kept/a.cu": "3", "new.cu": "4"}
    assert _names(tmp_path) == ["out"]


def test_same_port_writes_the_same_bytes_when_it_is_repeated(tmp_path: Path) -> None:
    _port(tmp_path / "one", {"a.cu": "1"})
    _port(tmp_path / "two", {"a.cu": "1"})
    manifests = [(tmp_path / name / MANIFEST_NAME).read_bytes() for name in ("one", "two")]
    assert manifests[0] == manifests[1]
    assert b"a.cu" not in manifests[0]


def test_files_of_others_stay_when_an_output_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _port(out, {"a.cu": "1"})
    (out / "build/obj").mkdir(parents=True)
    (out / "build/obj/a.o").write_text("object")
    (out / "link").symlink_to("a.cu")
    _port(out, {"a.cu": "2"})
    assert _contents(out)["build/obj/a.o"] == "object"
    assert (out / "link").readlink() == Path("a.cu")
    _port(out, {"a.cu": "3"})
    assert _contents(out)["build/obj/a.o"] == "object"


def test_equal_files_keep_their_time_when_an_output_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _port(out, {"same.cu": "1", "other.cu": "1"})
    for name in ("same.cu", "other.cu"):
        os.utime(out / name, (1000, 1000))
    _port(out, {"same.cu": "1", "other.cu": "2"})
    assert (out / "same.cu").stat().st_mtime == 1000
    assert (out / "other.cu").stat().st_mtime > 1000


def test_changed_output_is_refused_unless_forced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _port(out, {"a.cu": "1"})
    (out / "a.cu").write_text("mine")
    with pytest.raises(OutputError, match=r"a\.cu was changed since it was written; .* --force$"):
        _port(out, {"a.cu": "2"})
    assert _contents(out) == {"a.cu": "mine"}
    _port(out, {"a.cu": "2"}, force=True)
    assert _contents(out) == {"a.cu": "2"}


def test_change_made_while_the_port_ran_is_refused_too(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _port(out, {"a.cu": "1"})

    def change_both(folder: Path) -> None:
        (folder / "a.cu").write_text("2")
        (out / "a.cu").write_text("mine")

    with pytest.raises(OutputError, match="was changed since"), StagedFolder(out) as folder:
        change_both(folder)
    assert _contents(out) == {"a.cu": "mine"}


def test_folder_of_others_is_refused_even_when_forced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.txt").write_text("x")
    for force in (False, True):
        with pytest.raises(OutputError, match="is not empty and no earlier port wrote it"):
            check_replaceable(tmp_path / "out", force=force)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 99, "files": {}}', '{"format": 1}'])
def test_folder_with_a_damaged_manifest_counts_as_one_of_others(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST_NAME).write_text(text)
    with pytest.raises(OutputError, match="no earlier port wrote it"):
        check_replaceable(tmp_path)


def test_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    _port(tmp_path / "out", {"a.cu": "1"})
    assert _contents(tmp_path / "out") == {"a.cu": "1"}


def test_file_in_the_place_of_the_output_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(OutputError, match="is a file; the output of a folder is a folder"):
        check_replaceable(tmp_path / "out")


def test_dangling_link_in_the_place_of_the_output_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("nowhere")
    with pytest.raises(OutputError, match="is a file"):
        check_replaceable(tmp_path / "out")


def test_link_to_an_output_stays_a_link_when_it_is_replaced(tmp_path: Path) -> None:
    _port(tmp_path / "real", {"a.cu": "1"})
    (tmp_path / "out").symlink_to("real")
    _port(tmp_path / "out", {"a.cu": "2"})
    assert (tmp_path / "out").is_symlink()
    assert _contents(tmp_path / "real") == {"a.cu": "2"}


def test_leftover_of_a_killed_run_is_removed_and_one_of_a_live_run_kept(tmp_path: Path) -> None:
    dead, live = tmp_path / ".out.porting-dead", tmp_path / ".out.porting-live"
    for path in (dead, live):
        (path / "new").mkdir(parents=True)
        (path / "lock").touch()
    lock = os.open(live / "lock", os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _port(tmp_path / "out", {"a.cu": "1"})
    finally:
        os.close(lock)
    assert _names(tmp_path) == [".out.porting-live", "out"]


def test_leftover_without_a_lock_is_removed_when_it_is_old_and_empty(tmp_path: Path) -> None:
    old, new, full = (tmp_path / f".out.porting-{name}" for name in ("old", "new", "full"))
    for path in (old, new, full):
        path.mkdir()
    (full / "x").touch()
    for path in (old, full):
        os.utime(path, (1000, 1000))
    _port(tmp_path / "out", {"a.cu": "1"})
    assert _names(tmp_path) == [".out.porting-full", ".out.porting-new", "out"]


def test_link_that_is_named_as_a_leftover_is_not_followed(tmp_path: Path) -> None:
    theirs, out = tmp_path / "theirs", tmp_path / "place/out"
    for folder in (theirs, out.parent):
        folder.mkdir()
    (theirs / "lock").touch()
    (out.parent / ".out.porting-link").symlink_to(theirs)
    _port(out, {"a.cu": "x"})
    assert _names(theirs) == ["lock"]
    assert _names(out.parent) == [".out.porting-link", "out"]


def test_former_output_in_a_leftover_is_pointed_at_and_kept(tmp_path: Path) -> None:
    (tmp_path / ".out.porting-dead/old").mkdir(parents=True)
    (tmp_path / ".out.porting-dead/lock").touch()
    with pytest.raises(OutputError, match=r"killed left the former output in .*dead/old; move it"):
        _port(tmp_path / "out", {"a.cu": "1"})
    assert _names(tmp_path) == [".out.porting-dead"]
