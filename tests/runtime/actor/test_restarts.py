"""The budget of restarts and the pauses between them, by a virtual clock."""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.actor.supervision.restarts import RestartPolicy, Restarts

POLICY = RestartPolicy(
    max_restarts=3,
    max_seconds=10.0,
    backoff_base=0.1,
    backoff_factor=2.0,
    backoff_cap=1.0,
    jitter=0.0,
)


@dataclass
class Life:
    """One child under a policy: lives last as long as the script says, the last one for good."""

    policy: RestartPolicy
    lasting: list[float]
    starts: list[float] = field(default_factory=lambda: [0.0])
    given_up: float | None = None

    def run(self) -> "Life":
        budget = Restarts()
        for lasts in self.lasting:
            failed = self.starts[-1] + lasts
            pause = budget.pause(self.policy, failed)
            if pause is None:
                self.given_up = failed
                break
            self.starts.append(failed + pause)
            budget = budget.after(self.policy, failed, self.starts[-1])
        return self


@pytest.mark.parametrize("healthy", [0.0, 0.2, 1.0])
def test_budget_when_every_life_is_short(healthy: float) -> None:
    """RB-2: a start that succeeds gives nothing back."""
    child = Life(POLICY, [healthy] * 100).run()
    assert len(child.starts) == 4
    pauses = [after - before - healthy for before, after in pairwise(child.starts)]
    assert pauses == pytest.approx([0.1, 0.2, 0.4])
    assert child.given_up == pytest.approx(child.starts[-1] + healthy)


def test_budget_when_a_window_was_quiet() -> None:
    """RB-2, RB-4: time gives back the restarts, and the pause is short again."""
    child = Life(POLICY, [0.1, 0.1, 0.1, 11.0]).run()
    assert (len(child.starts), child.given_up) == (5, None)
    assert child.starts[-1] - (child.starts[-2] + 11.0) == pytest.approx(0.1)


def test_budget_when_a_window_was_almost_quiet() -> None:
    child = Life(POLICY, [0.1, 0.1, 0.1, 8.9]).run()
    assert child.given_up is not None
    assert len(child.starts) == 4


def test_pause_when_failures_go_on_within_the_budget() -> None:
    """RB-4: the pause stays long while failures keep coming, though each window has room."""
    child = Life(POLICY, [4.0] * 20).run()
    pauses = [after - before - 4.0 for before, after in pairwise(child.starts)]
    assert (len(pauses), child.given_up) == (20, None)
    assert pauses[:5] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0])
    assert pauses[-1] == pytest.approx(1.0)


def test_pause_when_there_were_very_many() -> None:
    assert POLICY.pause(100_000) == 1.0
    assert RestartPolicy(backoff_factor=1.0, jitter=0.0).pause(100_000) == 0.1


def test_pause_when_there_is_jitter() -> None:
    policy = RestartPolicy(backoff_base=1.0, backoff_cap=4.0, jitter=0.5)
    assert [policy.pause(9, chance) for chance in (0.0, 0.5, 1.0)] == [4.0, 5.0, 6.0]


def test_budget_when_there_are_no_restarts() -> None:
    assert Restarts().pause(RestartPolicy(max_restarts=0), 5.0) is None


def seconds(most: int) -> st.SearchStrategy[float]:
    """Return times whose sums and differences are exact."""
    return st.integers(0, most * 64).map(lambda ticks: ticks / 64)


@given(
    st.integers(0, 5),
    seconds(20).map(lambda window: window + 0.5),
    st.lists(seconds(2) | seconds(30), max_size=60),
)
def test_budget_when_lives_last_any_time(most: int, window: float, lasting: list[float]) -> None:
    """RB-1, and no budget is given up with room in it."""
    policy = RestartPolicy(max_restarts=most, max_seconds=window, backoff_base=0.125, jitter=0)
    child = Life(policy, lasting).run()
    restarts = child.starts[1:]
    for time in restarts:
        assert sum(time - window < each <= time for each in restarts) <= most
    if child.given_up is not None:
        assert sum(child.given_up - each < window for each in restarts) == most
    else:
        assert len(restarts) == len(lasting)


@given(st.lists(seconds(30), max_size=60))
def test_memory_when_there_are_many_restarts(lasting: list[float]) -> None:
    budget, now = Restarts(), 0.0
    for lasts in lasting:
        now += lasts
        budget = budget.after(POLICY, now, now)
        assert all(now - time < POLICY.max_seconds for time in budget.times)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"strategy": "all_for_one"},
            r"strategy='all_for_one' is not known; it is one of one_for_",
        ),
        ({"max_restarts": -1}, r"max_restarts=-1 is out of range; it is 0 or more$"),
        ({"max_seconds": 0}, r"max_seconds=0 would never use up a budget; it is more than 0$"),
        ({"max_seconds": math.nan}, r"max_seconds=nan is out of range; it is 0 or more$"),
        ({"backoff_factor": 0.5}, r"backoff_factor=0\.5 is out of range; it is 1 or more$"),
        ({"backoff_cap": math.inf}, r"backoff_cap=inf is out of range; it is 0 or more$"),
    ],
)
def test_policy_when_it_makes_no_sense(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        RestartPolicy(**wrong)


@pytest.mark.parametrize("most", [2.5, True, "3"])
def test_policy_when_a_type_is_wrong(most: Any) -> None:  # noqa: ANN401
    with pytest.raises(TypeError, match=r"^max_restarts=.* is not a whole number$"):
        RestartPolicy(max_restarts=most)
