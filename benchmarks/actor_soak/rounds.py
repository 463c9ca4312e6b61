"""One round of the soak: everyone talks, something happens, and every call comes to an end."""

import os
import signal
import time
from dataclasses import dataclass
from typing import Any

from .crowd import PATIENCE, Crowd, Life
from .findings import Findings, short
from .ledger import Tally, missing, out_of_order
from .plan import Event, Plan

CLIENT = "client"
_LARGE = 10_000
_FLOOD = 6000


@dataclass(frozen=True)
class Pending:
    """A call that is on its way; `answer` is what it must return, if that is known."""

    life: Life
    what: str
    future: Any
    answer: int | None = None


class Rounds:
    """Rounds over a crowd, by a plan."""

    def __init__(self, crowd: Crowd, plan: Plan, findings: Findings) -> None:
        self._crowd, self._plan, self._findings = crowd, plan, findings
        self._sent: dict[str, int] = {}

    @property
    def second_host(self) -> int | None:
        """The process of the second host, if there is one."""
        return self._crowd.second.pid if self._crowd.second is not None else None

    def round(self) -> Event:
        """Let everyone talk while the next event happens; wait for all; fill the gaps."""
        event = self._plan.next()
        self._findings.rounds += 1
        self._findings.events[event.kind] += 1
        pending = self._talk(self._plan.size())
        pending += [self._own_call(life) for life in self._crowd.lives.values() for _ in range(20)]
        self._happen(event, pending)
        for call in pending:
            self._end(call, event)
        if event.kills:
            self._crowd.bury(event.victims)
            # A fault ends the run: nobody new is needed then.
            self._crowd.fill(() if self._findings.faults else event.victims)
        return event

    def settle(self) -> list[Tally]:
        """Wait until every living pair has what it was sent; keep what is lost as faults."""
        deadline = time.monotonic() + (0 if self._findings.faults else PATIENCE)
        while True:
            tallies = [self._tally(life) for life in self._crowd.lives.values()]
            told = [t for t in tallies if t is not None]
            lost = missing([*told, Tally(CLIENT, self._sent, {})])
            if not lost or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        for text in (*lost, *out_of_order(told)):
            self._findings.fault(text)
        return told

    def messages(self) -> int:
        """Return how many messages this client has sent."""
        return sum(self._sent.values())

    def _tally(self, life: Life) -> Tally | None:
        try:
            patience = 1 if self._findings.faults else PATIENCE
            told: Tally = life.actor.tally.call_one().get(timeout=patience)
        except Exception as error:  # noqa: BLE001 # of either package
            self._findings.fault(f"{life.name} lives and gave no tally: {short(error)}")
            return None
        return told

    def _talk(self, size: int) -> list[Pending]:
        lives = self._crowd.lives
        count = 5 if size > _LARGE else 40
        pending = []
        for slot, others in self._plan.partners(list(lives)).items():
            listeners = [(lives[other].name, lives[other].actor) for other in others]
            call = lives[slot].actor.talk.call_one(listeners, count, size)
            pending.append(Pending(lives[slot], "talk", call))
        return pending

    def _own_call(self, life: Life) -> Pending:
        number = self._number(life)
        self._findings.calls += 1
        return Pending(life, "note", life.actor.note.call_one(CLIENT, number, b"x" * 64), number)

    def _number(self, life: Life) -> int:
        self._sent[life.name] = self._sent.get(life.name, 0) + 1
        return self._sent[life.name]

    def _happen(self, event: Event, pending: list[Pending]) -> None:
        victims = [self._crowd.lives[slot] for slot in event.victims]
        if event.kills:
            self._kill(event, victims)
        elif event.kind == "pause":
            for life in victims:
                os.kill(life.pid, signal.SIGSTOP)
            time.sleep(event.duration)
            for life in victims:
                os.kill(life.pid, signal.SIGCONT)
        elif event.kind == "hog":
            calls = [life.actor.hog.call_one(event.duration) for life in victims]
            pending += [Pending(x, "hog", call) for x, call in zip(victims, calls, strict=True)]
        elif event.kind == "slow":
            for life in victims:
                pending += self._flood(life)

    def _flood(self, life: Life) -> list[Pending]:
        """Send more than a mailbox holds to an actor that takes its time."""
        slow = Pending(life, "dawdle", life.actor.dawdle.call_one(0.0003))
        for _ in range(_FLOOD):
            life.actor.note.broadcast(CLIENT, self._number(life), b"")
        return [slow, Pending(life, "dawdle", life.actor.dawdle.call_one(0.0))]

    def _kill(self, event: Event, victims: list[Life]) -> None:
        """End the victims, and see that a call to each of them fails in time."""
        held = [life.actor.hold.call_one() for life in victims]
        second = self._crowd.second
        begun = time.monotonic()
        if second is not None and event.kind == "cut":
            second.link.cut()
        elif second is not None and event.kind == "stall":
            second.link.stall()
        else:
            number = signal.SIGSTOP if event.kind == "freeze" else signal.SIGKILL
            for life in victims:
                os.kill(life.pid, number)
        for life, call in zip(victims, held, strict=True):
            if self._end(Pending(life, "hold", call), event):
                self._findings.notice(event.kind, time.monotonic() - begun)
        if event.kind in {"cut", "stall"} and second is not None:
            second.link.cut()
            second.link.heal()
            second.lost()

    def _end(self, call: Pending, event: Event) -> bool:
        """Wait for a call, and keep what is wrong with its end; tell whether it did end."""
        hurt = event.kills and call.life.slot in event.victims
        where = f"{call.what} of {call.life.name} during {event.kind}"
        try:
            # After one fault the run is over: the rest of the round need not wait for long.
            answer = call.future.get(timeout=1 if self._findings.faults else PATIENCE)
        except TimeoutError:
            self._findings.fault(f"{where} had no end")
            return False
        except Exception as error:  # noqa: BLE001 # of either package
            self._findings.failed(call.life.name, where, error, hurt=hurt)
            return True
        if call.answer is not None and answer != call.answer:
            self._findings.fault(f"{where} returned {answer}, not {call.answer}")
        if call.what == "hold":
            self._findings.fault(f"{where} was answered by the dead")
        return True
