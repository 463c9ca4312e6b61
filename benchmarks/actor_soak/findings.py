"""Collect what the soak finds: counts, how soon deaths are noticed, and faults."""

from collections import Counter
from dataclasses import dataclass, field

# Seconds within which the calls to the victims have to fail: a death on this host is told at once,
# a silence needs the heartbeat's timeout, and a lost connection its grace.
NOTICED = {"kill": 2.0, "kill_two": 2.0, "freeze": 12.0, "cut": 12.0, "stall": 12.0}


@dataclass
class Findings:
    """What the rounds found: counts, how soon deaths were noticed, and every fault."""

    rounds: int = 0
    calls: int = 0
    events: Counter[str] = field(default_factory=Counter)
    noticed: dict[str, list[float]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    # The death of each life as its callers were told it, where the package names deaths.
    deaths: dict[str, str] = field(default_factory=dict)

    def fault(self, text: str) -> None:
        """Keep a fault, once."""
        if text not in self.faults:
            self.faults.append(text)

    def notice(self, kind: str, after: float) -> None:
        """Keep how long it took until a call to the dead failed."""
        self.noticed.setdefault(kind, []).append(after)
        if after > NOTICED[kind]:
            self.fault(f"a {kind} was noticed after {after:.1f} s, not {NOTICED[kind]:g}")

    def failed(self, name: str, where: str, error: Exception, *, hurt: bool) -> None:
        """Judge how a call failed: only to the dead, and every caller is told the same death."""
        if not hurt:
            self.fault(f"{where} failed though it lives: {short(error)}")
            return
        if type(error).__name__ != "SupervisionError":
            self.fault(f"{where} did not tell of a death: {short(error)}")
            return
        # A package that does not name deaths cannot be judged by the names.
        death = str(getattr(error, "event_id", ""))
        if self.deaths.setdefault(name, death) != death:
            self.fault(f"{where} told a second death: {short(error)}")


def short(error: Exception) -> str:
    """Return an error's type and first line."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0][:160] if lines else ''}"
