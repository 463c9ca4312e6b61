"""Edits: accepted without overlap, and applied once."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.edits import Edit, EditSet, apply_edits

SIZE = 24
TEXT = "".join(chr(ord("a") + i) for i in range(SIZE))
edits = st.builds(
    lambda start, length, new: Edit(start, min(start + length, SIZE), new),
    st.integers(0, SIZE),
    st.integers(0, 5),
    st.text(alphabet="XYZ", max_size=4),
)
groups = st.lists(st.lists(edits, min_size=1, max_size=1), max_size=12)


def accepted(groups: list[list[Edit]]) -> EditSet:
    found = EditSet()
    for group in groups:
        found.add(group)
    return found


@given(groups)
def test_accepted_edits_are_disjoint_and_sorted(groups: list[list[Edit]]) -> None:
    kept = accepted(groups).sorted()
    for before, after in itertools.pairwise(kept):
        assert before.end <= after.start
        assert (before.start, before.end) <= (after.start, after.end)


@given(groups)
def test_accepted_edits_apply_as_if_each_piece_were_replaced(groups: list[list[Edit]]) -> None:
    kept = accepted(groups).sorted()
    out, at = "", 0
    for edit in kept:
        out += TEXT[at : edit.start] + edit.replacement
        at = edit.end
    assert apply_edits(TEXT, kept) == out + TEXT[at:]


def test_overlapping_group_is_refused_as_a_whole() -> None:
    found = EditSet()
    assert found.add([Edit(2, 6, "A")])
    assert not found.add([Edit(10, 12, "B"), Edit(5, 7, "C")])
    assert found.sorted() == (Edit(2, 6, "A"),)


def test_insertions_at_one_place_keep_their_order() -> None:
    found = EditSet()
    found.add([Edit(3, 3, "A")])
    found.add([Edit(3, 5, "")])
    found.add([Edit(3, 3, "B")])
    assert apply_edits(TEXT, found.sorted()) == "abcABfghijklmnopqrstuvwx"


def test_insertion_inside_a_replaced_range_overlaps() -> None:
    found = EditSet()
    found.add([Edit(2, 6, "A")])
    assert found.overlaps(Edit(4, 4, "x"))
    assert not found.overlaps(Edit(2, 2, "x"))
    assert not found.overlaps(Edit(6, 6, "x"))


def test_replacement_across_an_insertion_overlaps() -> None:
    found = EditSet()
    found.add([Edit(4, 4, "x")])
    assert found.overlaps(Edit(3, 5, "A"))
    assert not found.overlaps(Edit(4, 6, "A"))


def test_covers_says_whether_a_range_is_replaced_as_a_whole() -> None:
    found = EditSet()
    found.add([Edit(2, 6, "A")])
    assert found.covers(Edit(3, 5, ""))
    assert found.covers(Edit(2, 6, ""))
    assert not found.covers(Edit(5, 7, ""))


def test_apply_refuses_overlapping_edits() -> None:
    with pytest.raises(ValueError, match=r"^edits overlap at offset 1: 'y'$"):
        apply_edits("abc", [Edit(0, 2, "x"), Edit(1, 3, "y")])
