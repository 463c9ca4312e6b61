"""The files of the name tables: how they are written, pinned, fetched, sealed and sampled."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "ci" / "mappings"
sys.path.insert(0, str(HERE))  # a script's folder is its import path

import sample  # noqa: E402
from nametables import decide, fetch, paths, seal, sources, write  # noqa: E402


def test_table_when_written_shares_texts(tmp_path: Path) -> None:
    record = decide.Record(
        "b", "runtime", "function", "h", "b", "none", "6.2", "", "", "", "header x", ""
    )
    other = decide.Record(
        "a", "runtime", "function", "h", "hipA", "rename", "6.2", "7.0", "r", "w", "header x", ""
    )
    text = write.table("Title", [record, other])

    keys = {line.split("\t")[1]: line[1:].split("\t")[0] for line in text.splitlines()[2:5]}
    first, second = (line.split("\t") for line in text.splitlines()[-2:])
    assert first == ["a", "function", keys["h"], "hipA", "rename", "6.2", "7.0", *first[7:]]
    assert first[7:] == [keys["r"], keys["header x"]]
    assert second == ["b", "function", keys["h"], "=", "", "6.2", "", "", keys["header x"]]
    assert write.table("Title", [record]).splitlines()[-1] == text.splitlines()[-1]
    (tmp_path / "old.tsv").write_text("x", encoding="utf-8")
    assert write.update(tmp_path, {"new.tsv": text}) == ["new.tsv", "old.tsv"]
    assert write.update(tmp_path, {"new.tsv": text}) == []


def test_table_when_a_list_of_searched_files_grows_changes_one_line() -> None:
    def rows(searched: str) -> list[str]:
        record = decide.Record(
            "a", "runtime", "type", "h", "", "none", "", "", "r", "w", searched, ""
        )
        return write.table("Title", [record]).splitlines()

    before, after = rows("searched: a.h"), rows("searched: a.h; b.h")

    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        "#s0\tsearched: a.h; b.h"
    ]


def test_headers_when_a_pattern_moves_a_folder() -> None:
    rule = {"match": "thrust/system/cuda/*", "target": "thrust/system/hip/*", "source": "s"}
    path = "thrust/system/cuda/vector.h"

    assert paths._record(path, "thrust", "header", rule).target == "thrust/system/hip/vector.h"


def test_sources_when_loaded_are_all_pinned() -> None:
    wheels = sources.load(HERE / "sources.toml")

    assert len({wheel.folder for wheel in wheels}) == len(wheels)
    assert all(re.fullmatch(r"[0-9a-f]{64}", wheel.digest) for wheel in wheels)
    assert {wheel.release for wheel in wheels if wheel.role == "cuda"} >= {"12.9", "13.0"}


def test_pin_when_written_fills_each_digest() -> None:
    text = '[[wheel]]\nname = "a"\nversion = "1"\ndigest = ""\n'

    assert sources.with_digests(text, {"a-1": "x"}).endswith('digest = "x"\n')


def test_fetch_when_files_are_not_the_pinned_ones(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("int x;", encoding="utf-8")
    wheel = sources.Wheel("a", "1", "cuda", "12.9", ("*",), "0" * 64)

    with pytest.raises(
        fetch.FetchError, match=r"^a-1: the extracted files have digest [0-9a-f]+, "
    ):
        fetch.verify(wheel, tmp_path)
    fetch.verify(sources.Wheel("a", "1", "cuda", "12.9", ("*",), fetch.digest(tmp_path)), tmp_path)


def test_seal_when_a_table_is_edited_by_hand(tmp_path: Path) -> None:
    here, tables = tmp_path / "here", tmp_path / "tables"
    for folder in (here / "curated", here / "nametables", tables):
        folder.mkdir(parents=True)
    (here / "generate.py").write_text("x = 1\n", encoding="utf-8")
    (tables / "a.tsv").write_text("a\n", encoding="utf-8")
    path = tmp_path / "seal.json"
    seal.write(path, here, tables)

    assert seal.broken(path, here, tables) == []
    (here / "generate.py").write_text("x  =  1\n\n", encoding="utf-8")
    assert seal.broken(path, here, tables) == []
    (tables / "a.tsv").write_text("b\n", encoding="utf-8")
    assert seal.broken(path, here, tables) == ["tables"]
    (here / "curated" / "c.toml").write_text("y = 2\n", encoding="utf-8")
    assert seal.broken(path, here, tables) == ["inputs", "tables"]


def test_seal_when_the_repository_is_as_committed() -> None:
    tables = ROOT / "porting" / "mappings"

    assert seal.broken(HERE / "seal.json", HERE, tables) == [], (
        "the tables are not what the generator wrote; run python ci/mappings/generate.py"
    )


def test_draw_when_the_seed_is_the_same() -> None:
    first = sample.draw(7, 20)

    assert first == sample.draw(7, 20)
    assert first != sample.draw(8, 20)
    assert len(first) == 20
