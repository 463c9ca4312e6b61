"""Identical lines of several ranks become one, and nothing is lost or moved (AG-1 to AG-3)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.actor.logs.aggregation import Aggregator, together


def told(aggregator: Aggregator, now: float) -> list[str]:
    return [str(line) for line in aggregator.take(now)]


def test_lines_when_all_ranks_print_the_same() -> None:
    aggregator = Aggregator(3.0)
    for rank in range(8):
        aggregator.feed(rank, "loading", 0.1 * rank)
    assert told(aggregator, 2.9) == []
    assert told(aggregator, 3.0) == ["[8 similar lines] loading"]
    assert told(aggregator, 9.0) == []


def test_lines_when_they_differ() -> None:
    aggregator = Aggregator(3.0)
    for rank in range(3):
        aggregator.feed(rank, f"loss 0.{rank}", 0.0)
    assert told(aggregator, 3.0) == ["loss 0.0", "loss 0.1", "loss 0.2"]


def test_a_line_when_the_window_has_ended_before() -> None:
    aggregator = Aggregator(3.0)
    aggregator.feed(0, "step", 0.0)
    aggregator.feed(1, "step", 3.5)
    assert told(aggregator, 3.6) == ["step"]
    assert aggregator.deadline() == 6.5
    assert told(aggregator, 6.5) == ["step"]


def test_a_line_when_every_rank_of_the_mesh_has_printed_it() -> None:
    aggregator = Aggregator(3.0, size=2)
    aggregator.feed(0, "only mine", 0.0)
    aggregator.feed(0, "ready", 0.0)
    assert told(aggregator, 0.0) == []
    aggregator.feed(1, "ready", 0.1)
    assert told(aggregator, 0.1) == ["only mine", "[2 similar lines] ready"]


@pytest.mark.parametrize(("window", "size"), [(0.0, None), (3.0, 1)])
def test_lines_when_there_is_nothing_to_aggregate(window: float, size: int | None) -> None:
    aggregator = Aggregator(window, size)
    aggregator.feed(0, "a", 0.0)
    aggregator.feed(0, "a", 0.0)
    assert told(aggregator, 0.0) == ["a", "a"]


def test_lines_of_a_rank_when_one_comes_back() -> None:
    aggregator = Aggregator(3.0)
    for text in ("retry", "ok", "retry", "failed", "failed"):
        for rank in (0, 1):
            aggregator.feed(rank, text, 0.0)
    assert [str(line) for line in aggregator.flush()] == [
        "[2 similar lines] retry",
        "[2 similar lines] ok",
        "[2 similar lines] retry",
        "[4 similar lines] failed",
    ]


def test_lines_when_too_many_wait() -> None:
    aggregator = Aggregator(3.0)
    for number in range(5000):
        aggregator.feed(0, str(number), 0.0)
    at_once = [line.text for line in aggregator.take(0.0)]
    assert at_once == [str(number) for number in range(5000 - 4096)]
    assert len(aggregator.flush()) == 4096


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.integers(0, 4))))
def test_lines_when_anything_comes(fed: list[tuple[int, str, int]]) -> None:
    aggregator = Aggregator(3.0, size=4)
    now, out = 0.0, []
    for rank, text, wait in fed:
        now += wait
        aggregator.feed(rank, text, now)
        out += aggregator.take(now)
        assert aggregator.deadline() is None or aggregator.deadline() > now  # type: ignore[operator]
    out += aggregator.flush()
    assert sum(line.count for line in out) == len(fed)  # AG-1
    totals: Counter[str] = Counter()
    for line in out:
        totals[line.text] += line.count
    assert totals == Counter(text for _, text, _ in fed)
    for rank in range(4):  # AG-2
        printed = [text for who, text, _ in fed if who == rank]
        given_out = [line.text for line in out if rank in line.ranks]
        assert without_repeats(given_out) == without_repeats(printed)


def without_repeats(lines: list[str]) -> list[str]:
    return [each for i, each in enumerate(lines) if i == 0 or lines[i - 1] != each]


@pytest.mark.parametrize(
    ("places", "text"),
    [
        (["gpus=0"], "gpus=0"),
        (["gpus=0", "gpus=1", "gpus=2", "gpus=5"], "gpus=0-2+5"),
        (["gpus=10", "gpus=9"], "gpus=9-10"),
        (["h=0,g=0", "h=0,g=1", "h=1,g=0", "h=1,g=1"], "h=0-1,g=0-1"),
        (["h=0,g=0", "h=1,g=1"], "h=0,g=0 h=1,g=1"),
        ([f"h={i},g={i}" for i in range(9)], "h=0,g=0 h=1,g=1 h=2,g=2 h=3,g=3 and 5 more"),
        (["", ""], ""),
    ],
)
def test_places_when_told_together(places: list[str], text: str) -> None:
    assert together(places) == text
