"""Draw what happens to the mesh, from a seed: the same seed gives the same plan."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

# How often each comes, in parts.  `freeze`, `cut` and `stall` need seconds to be noticed.
WEIGHTS = {
    "kill": 8,
    "kill_two": 3,
    "pause": 5,
    "slow": 3,
    "hog": 2,
    "freeze": 1,
    "cut": 2,
    "stall": 1,
    "nothing": 2,
}
# Seconds; shorter than the time after which a silent process counts as dead, or, with its
# interpreter alone at a halt, longer than it.
_DURATIONS = {"pause": (0.05, 2.0), "hog": (1.0, 7.0)}
REMOTE = frozenset({"cut", "stall"})
DEADLY = frozenset({"kill", "kill_two", "freeze", *REMOTE})


@dataclass(frozen=True)
class Event:
    """One thing that happens: to which slots of the mesh, and for how long, in seconds."""

    kind: str
    victims: tuple[int, ...] = ()
    duration: float = 0.0

    @property
    def kills(self) -> bool:
        """Tell whether the victims do not live on after it."""
        return self.kind in DEADLY


class Plan:
    """An endless sequence of events over the slots of a mesh.

    `local` and `remote` are the slots on this host and on the one behind the link.
    """

    def __init__(
        self, seed: int, local: Sequence[int], remote: Sequence[int], kinds: Sequence[str] = ()
    ) -> None:
        self._chance = random.Random(seed)  # noqa: S311 # repeatable, not secret
        self._local, self._remote = tuple(local), tuple(remote)
        allowed = [k for k in kinds or WEIGHTS if self._remote or k not in REMOTE]
        self._kinds = sorted(allowed)
        self._weights = [WEIGHTS[kind] for kind in self._kinds]

    def next(self) -> Event:
        """Draw the next event."""
        kind = self._chance.choices(self._kinds, self._weights)[0]
        return Event(kind, self._victims(kind), self._duration(kind))

    def _victims(self, kind: str) -> tuple[int, ...]:
        anyone = (*self._local, *self._remote)
        match kind:
            case "cut" | "stall":
                return self._remote
            case "kill_two":
                return tuple(self._chance.sample(self._local, 2))
            case "freeze":
                return (self._chance.choice(self._local),)
            case "nothing":
                return ()
            case _:
                return (self._chance.choice(anyone),)

    def _duration(self, kind: str) -> float:
        shortest, longest = _DURATIONS.get(kind, (0.0, 0.0))
        return self._chance.uniform(shortest, longest)

    def partners(self, slots: Sequence[int]) -> dict[int, list[int]]:
        """Draw to whom each slot talks in a round."""
        return {
            slot: self._chance.sample(
                [other for other in slots if other != slot], min(3, len(slots) - 1)
            )
            for slot in slots
        }

    def size(self) -> int:
        """Draw the bytes of a round's messages: mostly small, at times large."""
        return self._chance.choice((0, 64, 64, 1000, 60_000, 300_000))
