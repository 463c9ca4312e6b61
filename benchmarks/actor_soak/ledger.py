"""Count the messages of pairs by their numbers: each once, in order, none missing.

A pair is a sender and a receiver in one life each; every pair counts from one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Ledger:
    """What one receiver got: the last number of each sender, and what was wrong on the way."""

    last: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def record(self, sender: str, number: int) -> None:
        """Note a message; a number other than the next one is a fault, told once per gap."""
        expected = self.last.get(sender, 0) + 1
        if number < expected:
            self.faults.append(f"{number} of {sender} came again, after {expected - 1}")
        elif number > expected:
            self.faults.append(f"{number} of {sender} came where {expected} was to come")
        self.last[sender] = max(number, expected - 1)


@dataclass(frozen=True)
class Tally:
    """What an actor says of itself: what it sent to whom, what it received, what it holds."""

    name: str
    sent: Mapping[str, int]
    received: Mapping[str, int]
    faults: tuple[str, ...] = ()
    descriptors: int = 0
    memory: int = 0


def missing(tallies: list[Tally]) -> list[str]:
    """Return, for pairs whose two ends are alive, what was sent and has not been received."""
    alive = {tally.name: tally for tally in tallies}
    found = []
    for sender in tallies:
        for name, count in sorted(sender.sent.items()):
            if name in alive and (has := alive[name].received.get(sender.name, 0)) != count:
                found.append(f"{sender.name} sent {count} to {name}, which has {has}")
    return found


def out_of_order(tallies: list[Tally]) -> list[str]:
    """Return what receivers found wrong with the numbers of what came."""
    return [f"{tally.name}: {fault}" for tally in tallies for fault in tally.faults]
