"""The record by which a later run knows an output."""

from pathlib import Path

from porting.config import Target
from porting.output.linemap import LineMap
from porting.output.manifest import Manifest, file_digest, path_digest
from porting.tree import MANIFEST_NAME


def _write(folder: Path, manifest: Manifest) -> Manifest:
    (folder / MANIFEST_NAME).write_bytes(manifest.to_bytes())
    found = Manifest.read(folder)
    assert found is not None
    return found


def test_read_gives_back_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("x")
    (tmp_path / "link").symlink_to("a.cu")
    names = ("a.cu", "link")
    manifest = Manifest(
        {path_digest(name): file_digest(tmp_path / name) for name in names},
        {path_digest("a.cu"): LineMap(((2, 1), (5, 7)))},
        Target("6.4", ("gfx1201",)),
    )
    found = _write(tmp_path, manifest)
    assert found == manifest
    assert all(found.is_as_written(tmp_path, name) for name in names)


def test_is_as_written_is_false_when_a_link_became_a_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("x")
    manifest = Manifest({path_digest("link"): file_digest(tmp_path / "link")})
    (tmp_path / "link").unlink()
    (tmp_path / "link").write_text("x")
    assert manifest.knows("link")
    assert not manifest.is_as_written(tmp_path, "link")


def test_origin_follows_the_lines_of_a_known_file(tmp_path: Path) -> None:
    manifest = _write(tmp_path, Manifest({}, {path_digest("a.cu"): LineMap(((2, 1),))}))
    assert manifest.origin("a.cu", 5) == ("a.cu", 4)
    assert manifest.origin("b.cu", 5) == ("b.cu", 5)


def test_read_knows_no_target_of_an_output_from_before_it_was_kept(tmp_path: Path) -> None:
    assert _write(tmp_path, Manifest({})).target is None
