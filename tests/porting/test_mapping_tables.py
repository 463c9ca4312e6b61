"""The shape of the table files: every line is whole, and every claim has its source."""

from pathlib import Path

import pytest

from porting.mapping import Action, Names, Status

TABLES = Path(__file__).resolve().parents[2] / "porting" / "mappings"
OTHERS = ("headers", "namespaces", "private")
LIBRARIES = sorted(p.stem for p in TABLES.glob("*.tsv") if p.stem not in (*OTHERS, "releases"))
RELEASES = ("6.2", "6.4", "7.0", "7.1", "7.2", "10.0")
KINDS = {"function", "type", "enumerator", "macro", "variable", "field", "intrinsic"}


def _rows(name: str) -> list[list[str]]:
    body = (TABLES / f"{name}.tsv").read_text(encoding="utf-8").partition("\n\n")[2]
    return [line.split("\t") for line in body.splitlines()]


@pytest.mark.parametrize("library", LIBRARIES)
def test_table_when_read_line_by_line(library: str) -> None:
    rows = _rows(library)

    assert rows
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    for name, kind, declared, target, action, first, last, _, cite in rows:
        assert kind in KINDS, name
        assert declared, name
        assert Action(action or "none"), name
        assert cite, name
        assert bool(first) == bool(target), name
        assert first in ("", *RELEASES), name
        assert last in ("", *RELEASES), name
        assert not last or RELEASES.index(last) >= RELEASES.index(first), name


@pytest.mark.parametrize("library", LIBRARIES)
def test_unsupported_when_listed_has_reason_way_out_and_search(library: str) -> None:
    newest = Names.load("10.0")
    found = [name for row in _rows(library) if (name := newest.get(row[0])) and not row[3]]

    for name in found:
        assert name.status is Status.UNSUPPORTED
        assert len(name.reason) > 10, name.name
        assert len(name.help) > 5, name.name
        assert name.cite.startswith("searched: "), name.name


@pytest.mark.parametrize("library", LIBRARIES)
def test_mapped_when_listed_names_a_header_or_stub(library: str) -> None:
    newest = Names.load("10.0")
    words = ("header ", "stub ", "published ")

    for row in _rows(library):
        name = newest.get(row[0])
        assert name is not None
        if name.status is not Status.UNSUPPORTED:
            assert name.cite.startswith(words), name.name


def test_names_when_all_tables_are_joined_are_unique() -> None:
    names = [row[0] for library in (*LIBRARIES, "private") for row in _rows(library)]

    assert len(names) == len(set(names))


def test_tables_when_packed_into_the_wheel_stay_small() -> None:
    assert sum(path.stat().st_size for path in TABLES.glob("*.tsv")) < 4_000_000


@pytest.mark.parametrize("table", ["headers", "namespaces"])
def test_paths_when_read_say_library_and_source(table: str) -> None:
    names = Names.load("10.0")
    look = names.header if table == "headers" else names.namespace

    for row in _rows(table):
        found = look(row[0])
        assert found is not None
        assert found.library
        assert found.cite
        assert found.status is not Status.UNSUPPORTED or (found.reason and found.help)


def test_document_when_it_counts_says_what_the_tables_hold() -> None:
    text = (TABLES.parents[1] / "docs" / "mappings.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    said = {
        row[0]: tuple(int(cell.replace(",", "")) for cell in row[1:4])
        for row in rows
        if len(row) == 5 and row[0] in LIBRARIES
    }
    held = {
        library: tuple(count[status] for status in Status)
        for library, count in Names.load("10.0").counts().items()
    }

    assert said == held
