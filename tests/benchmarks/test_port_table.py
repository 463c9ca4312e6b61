"""The table of the port's benchmark: times and compile rates of a tree in one line."""

import pytest

from benchmarks.real_trees.compiling import Side
from benchmarks.real_trees.rates import UnitResult
from benchmarks.real_trees.remembered import Outcome
from benchmarks.real_trees.table import Results, Timing

PASSED, FAILED, HEADLESS = Outcome(), Outcome(error="op.cu:1: no such type"), Outcome(missing="a.h")


def timing(ours: float, peer: float) -> Timing:
    return Timing(3, ours, peer, (0.2, 0.1), {"ours": [ours], "peer": [peer]})


def compiled(*outcomes: tuple[Outcome, Outcome]) -> list[UnitResult]:
    """Return units of both sides, with outcomes of ours and the peer's."""
    return [
        UnitResult(f"op{number}.cu", side, ours, peer)
        for number, (ours, peer) in enumerate(outcomes)
        for side in Side
    ]


def test_table_when_units_were_compiled_has_a_line_per_tree() -> None:
    units = compiled((PASSED, PASSED), (PASSED, FAILED), (HEADLESS, FAILED))
    units.append(UnitResult("op9.cu", Side.HOST, HEADLESS, HEADLESS, "a.h"))
    results = Results({"one-1.0": timing(1, 2), "two-2.0": timing(1, 4)}, {"one-1.0": units})
    lines = results.table().splitlines()
    assert lines[1].split() == "one-1.0 3 1.000 2.000 0.50 0.200/0.100 2/1/3 2/1/3".split()
    assert lines[2].split() == "two-2.0 3 1.000 4.000 0.25 0.200/0.100".split()
    assert lines[3].split() == ["all", "2/1/3", "2/1/3"]
    assert {len(line) for line in (lines[0], lines[1], lines[3])} == {len(lines[0])}
    assert lines[4:] == [
        "left out: one-1.0: op9.cu (host): no a.h here",
        "one-1.0: ours fails 2x: no header a.h",
        "one-1.0: peer fails 4x: op.cu:1: no such type",
        "3 different unit paths were compared",
    ]
    assert results.as_json()["notes"] == lines[4:]


def test_table_when_nothing_was_compiled_is_of_times_alone() -> None:
    lines = Results({"one-1.0": timing(1, 2)}, {}).table().splitlines()
    assert len(lines) == 2
    assert "host" not in lines[0]


@pytest.mark.parametrize(
    ("ours", "outcomes", "slower", "less"),
    [(1, (PASSED, FAILED), "no tree", "of no tree"), (2, (FAILED, PASSED), "t", "t")],
)
def test_summary_when_compared(
    ours: float, outcomes: tuple[Outcome, Outcome], slower: str, less: str
) -> None:
    results = Results({"t": timing(ours, 2)}, {"t": compiled(outcomes)})
    told = f"slower than the peer: {slower}; less compiles than with the peer: {less}"
    assert results.summary() == f"porting: 1 trees; {told}"
    assert results.as_json()["summary"] == results.summary()
    assert bool(results.slower() or results.less()) == (ours == 2)
