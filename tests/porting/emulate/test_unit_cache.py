"""Objects of units are used again as long as nothing that was read has changed."""

import os
from pathlib import Path
from time import time_ns

import pytest

from porting.emulate import ptx, unit_cache
from porting.emulate.unit_cache import Place, dependencies


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.cu"
    path.write_text("one")
    return path


def kept(folder: Path, source: Path, begun: int) -> Place:
    made = folder / ".made.o"
    made.write_text("object")
    place = Place(folder / "a.o")
    place.keep(made, [str(source)], begun)
    assert place.object.read_text() == "object"
    assert not made.exists()
    return place


def test_object_when_its_source_is_as_it_was(tmp_path: Path, source: Path) -> None:
    os.utime(source, ns=(0, 1_000_000))
    assert kept(tmp_path, source, time_ns()).is_valid()


def test_object_when_its_source_has_changed(tmp_path: Path, source: Path) -> None:
    os.utime(source, ns=(0, 1_000_000))
    place = kept(tmp_path, source, time_ns())
    source.write_text("two")
    assert not place.is_valid()


def test_object_when_its_source_was_saved_while_it_was_compiled(
    tmp_path: Path, source: Path
) -> None:
    os.utime(source, ns=(0, 3_000_000))
    assert not kept(tmp_path, source, 2_000_000).is_valid()


def test_digest_of_what_makes_units_when_ptx_is_read_in_another_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = unit_cache.own_digest.__wrapped__()
    real = unit_cache.digest_of_file
    changed = {str(Path(ptx.__file__)): "another"}
    monkeypatch.setattr(unit_cache, "digest_of_file", lambda path: changed.get(path) or real(path))
    assert unit_cache.own_digest.__wrapped__() != before


def test_dependencies_when_names_have_spaces(tmp_path: Path) -> None:
    listed = tmp_path / "a.d"
    listed.write_text("a.o: /x/a\\ b.h \\\n  /y/c.h\n")
    assert dependencies(listed) == ["/x/a b.h", "/y/c.h"]
