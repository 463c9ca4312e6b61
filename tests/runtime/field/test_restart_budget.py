"""Real processes that die again and again: the budget counts time, and each child has its own."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import time
from itertools import pairwise
from typing import Any

import pytest

POLICY: dict[str, Any] = {
    "max_restarts": 3,
    "window": 10.0,
    "backoff_base": 0.1,
    "backoff_factor": 2.0,
    "backoff_cap": 1.0,
    "jitter": 0.0,
}


@pytest.mark.parametrize("healthy", [0.0, 0.2])
def test_budget_when_every_life_is_short(rt: Any, healthy: float) -> None:
    with rt.supervised(die_after=healthy, **POLICY) as supervised:
        supervised.wait_given_up(timeout=15)
        starts = supervised.start_times()
        assert len(starts) == 4  # the first and three more
        gaps = [after - before - healthy for before, after in pairwise(starts)]
        for gap, pause in zip(gaps, (0.1, 0.2, 0.4), strict=True):
            assert pause <= gap < pause + 1.5
        assert supervised.escalations() == 1


def test_budget_when_siblings_fail_once_each(rt: Any) -> None:
    with rt.supervised(children=5, die_once_after=0.1, **POLICY) as supervised:
        time.sleep(3)
        assert (supervised.alive(), supervised.escalations()) == (5, 0)


def test_budget_when_it_was_quiet_for_longer_than_the_window(rt: Any) -> None:
    with rt.supervised(die_at=[0.1, 0.1, 0.1, 11.0], **POLICY) as supervised:
        time.sleep(16)
        assert (supervised.alive(), supervised.escalations()) == (1, 0)
