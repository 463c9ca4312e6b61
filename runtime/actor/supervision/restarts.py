"""Restart policies: what is restarted with a failed child, how often, and after which pause.

The invariants of the budget, which tests cite:

RB-1  In any stretch of `max_seconds` at most `max_restarts` restarts happen.
RB-2  Only time gives restarts back: neither a start that succeeds nor a message does.
RB-3  In one_for_one every child has a budget of its own; in the other strategies the group has one.
RB-4  The pause grows with every restart, up to `backoff_cap`, and is short again after a failure
      that comes `max_seconds` or more after the last restart.
"""

from __future__ import annotations

from dataclasses import dataclass

STRATEGIES = ("one_for_one", "one_for_all", "rest_for_one")


@dataclass(frozen=True)
class RestartPolicy:
    """What to do when a child fails, instead of asking its owner.

    `one_for_one` restarts the child, `one_for_all` every child of the group, `rest_for_one` the
    child and those that were started after it. When `max_restarts` within `max_seconds` do not
    help, the owner is asked. The n-th pause is `backoff_base * backoff_factor ** n` seconds, at
    most `backoff_cap`, made longer by a random share of up to `jitter`.
    """

    strategy: str = "one_for_one"
    max_restarts: int = 3
    max_seconds: float = 5.0
    backoff_base: float = 0.1
    backoff_factor: float = 2.0
    backoff_cap: float = 10.0
    jitter: float = 0.1

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise ValueError(
                f"strategy={self.strategy!r} is not known; it is one of {', '.join(STRATEGIES)}"
            )
        if isinstance(self.max_restarts, bool) or not isinstance(self.max_restarts, int):
            raise TypeError(f"max_restarts={self.max_restarts!r} is not a whole number")
        for name, low in _LOWEST.items():
            value = getattr(self, name)
            # Written so that a NaN, which no comparison holds for, is refused too.
            if not low <= value < float("inf"):
                raise ValueError(f"{name}={value!r} is out of range; it is {low:g} or more")
        if self.max_seconds == 0:
            raise ValueError("max_seconds=0 would never use up a budget; it is more than 0")

    def pause(self, streak: int, chance: float = 0.0) -> float:
        """Return the seconds to wait before the restart that follows `streak` earlier ones."""
        try:
            pause = self.backoff_base * self.backoff_factor**streak
        except OverflowError:
            pause = self.backoff_cap
        return min(self.backoff_cap, pause) * (1 + self.jitter * chance)


def check_policy(policy: object) -> None:
    """Raise TypeError for what is no policy."""
    if not isinstance(policy, RestartPolicy):
        raise TypeError(
            f"{policy!r} is no restart policy; give RestartPolicy(strategy=..., max_restarts=...), "
            "or None to have the owner asked about each failure"
        )


_LOWEST = {
    "max_restarts": 0,
    "max_seconds": 0,
    "backoff_base": 0,
    "backoff_factor": 1,
    "backoff_cap": 0,
    "jitter": 0,
}


@dataclass(frozen=True)
class Restarts:
    """The restarts of one budget: the times of those that may count, the number in a row."""

    times: tuple[float, ...] = ()
    streak: int = 0

    def pause(self, policy: RestartPolicy, now: float, chance: float = 0.0) -> float | None:
        """Return the seconds to wait before the next restart, or None: the budget is used up."""
        if self.spent(policy, now) >= policy.max_restarts:
            return None
        return policy.pause(0 if self._quiet(policy, now) else self.streak, chance)

    def spent(self, policy: RestartPolicy, now: float) -> int:
        """Return how many restarts count at this time."""
        return sum(now - time < policy.max_seconds for time in self.times)

    def after(self, policy: RestartPolicy, failed: float, now: float) -> Restarts:
        """Return the budget after a restart that happens now, for a failure at `failed`."""
        streak = 1 if self._quiet(policy, failed) else self.streak + 1
        kept = tuple(time for time in self.times if now - time < policy.max_seconds)
        return Restarts((*kept, now), streak)

    def _quiet(self, policy: RestartPolicy, failed: float) -> bool:
        return not self.times or failed - self.times[-1] >= policy.max_seconds
