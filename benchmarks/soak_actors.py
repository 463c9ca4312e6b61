"""Soak the actors: random deaths, pauses, cuts and slow consumers, and nothing may go missing.

    python benchmarks/soak_actors.py [--seconds 60] [--seed N] [--json FILE]

A mesh of eight processes, two of them on a second host behind a link that is cut, talks without
a pause while things happen to it, which the seed decides.  Every call has to end; no message
between two living actors may be lost, come twice or out of order; no process, descriptor or
memory may be left.  Exits with 1 when something of that did not hold.
"""

import argparse
import faulthandler
import json
import os
import random
import signal
import statistics
import sys
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parent
RUN = uuid.uuid4().hex
# The workers import the actor from this folder, and are found again by the name of the run.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, (str(BENCHMARKS), os.environ.get("PYTHONPATH", "")))
)
os.environ["ACTOR_BENCHMARK_RUN"] = RUN

from actor_measures.process_tree import left_behind, members  # noqa: E402
from actor_soak.crowd import PATIENCE, Crowd, sleepers  # noqa: E402
from actor_soak.findings import Findings  # noqa: E402
from actor_soak.holdings import trend  # noqa: E402
from actor_soak.ledger import Tally  # noqa: E402
from actor_soak.plan import WEIGHTS, Plan  # noqa: E402
from actor_soak.rounds import Rounds  # noqa: E402
from actor_soak.sampling import Samples  # noqa: E402
from actor_soak.talker import api  # noqa: E402

_GRACE = 3.0


def main() -> int:
    """Run the soak, and print what it found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--events", nargs="+", choices=tuple(WEIGHTS), default=[])
    parser.add_argument("--procs", type=int, default=8, help="processes of the mesh")
    parser.add_argument(
        "--few", type=int, default=0, metavar="ROUNDS", help="in fewer, growth is no fault"
    )
    parser.add_argument("--no-link", action="store_true", help="all of them on this host")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    given = parser.parse_args()
    print(f"seed {given.seed}, {given.seconds:g} s", flush=True)
    # Whatever hangs so that no timeout of ours ends it shows where, and ends.
    faulthandler.dump_traceback_later(given.seconds + 8 * PATIENCE, exit=True)
    # A supervisor's SIGTERM is no reason to leave processes behind.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    findings, samples, messages = Findings(), Samples(), 0
    try:
        messages = _soak(given, findings, samples)
    except Exception as error:  # noqa: BLE001 # the findings so far are worth their table
        findings.fault(f"the soak broke off: {type(error).__name__}: {error}")
    finally:
        for pid in left_behind(RUN, _GRACE):
            findings.fault(f"process {pid} outlived the program")
    faulthandler.cancel_dump_traceback_later()
    told = _told(given, findings, samples, messages)
    print(_table(told))
    if given.json:
        given.json.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if findings.faults else 0


def _soak(given: argparse.Namespace, findings: Findings, samples: Samples) -> int:
    told: Counter[str] = Counter()
    # A death may reach the owner once; a package that does not name deaths cannot be judged.
    api.unhandled_fault_hook = lambda failure: told.update([getattr(failure, "event_id", "")])
    remote = 0 if given.no_link else min(2, given.procs - 1)
    with Crowd(given.procs - remote, remote) as crowd:
        try:
            plan = Plan(given.seed, crowd.local, crowd.remote, given.events)
            rounds = Rounds(crowd, plan, findings)
            crowd.fill((*crowd.local, *crowd.remote))
            tallies = _play(given.seconds / 2, rounds, samples, findings)
            samples.half_is_over()
            tallies = _play(given.seconds / 2, rounds, samples, findings) or tallies
            for death, times in told.items():
                if death and times > 1:
                    findings.fault(f"the owner was told {times} times of the death {death}")
            _check_end(crowd, findings, samples, given.few)
            messages = rounds.messages() + sum(sum(t.sent.values()) for t in tallies)
        finally:
            api.shutdown_context().get(timeout=PATIENCE)
    return messages


def _play(seconds: float, rounds: Rounds, samples: Samples, findings: Findings) -> list[Tally]:
    """Play rounds until the time is over, or one has a fault; return what the living say then."""
    deadline = time.monotonic() + seconds
    tallies: list[Tally] = []
    while time.monotonic() < deadline and not findings.faults:
        event = rounds.round()
        tallies = rounds.settle()
        held = samples.take(rounds.second_host)
        line = f"{findings.rounds}: {event.kind} {event.victims}, {held}"
        print(line, file=sys.stderr, flush=True)
    return tallies


def _check_end(crowd: Crowd, findings: Findings, samples: Samples, few: int) -> None:
    """Look for what the dead left, while the living are still there.

    In less than `few` rounds an allocator's steps look like a leak: their trend is only shown.
    """
    for text in samples.growth() if findings.rounds >= few else []:
        findings.fault(text)
    deadline = time.monotonic() + _GRACE
    while len(left := sleepers(members(RUN))) > crowd.grandchildren():
        if time.monotonic() > deadline:
            orphans = len(left) - crowd.grandchildren()
            findings.fault(f"{orphans} children of dead processes live on")
            return
        time.sleep(0.05)


def _told(
    given: argparse.Namespace, findings: Findings, samples: Samples, messages: int
) -> dict[str, Any]:
    noticed = {
        kind: {"p50": statistics.median(taken), "max": max(taken), "count": len(taken)}
        for kind, taken in sorted(findings.noticed.items())
    }
    verdict = f"{len(findings.faults)} faults" if findings.faults else "nothing went missing"
    return {
        "summary": f"soak: {verdict} in {findings.rounds} rounds, seed {given.seed}",
        "seed": given.seed,
        "seconds": given.seconds,
        "rounds": findings.rounds,
        "events": dict(sorted(findings.events.items())),
        "calls": findings.calls,
        "messages of the living": messages,
        "noticed": noticed,
        "descriptors": [held.descriptors for held in samples.client],
        "memory": [held.memory for held in samples.client],
        "shared memory": [held.shared for held in samples.client],
        "counts": dict(samples.client[-1].counts) if samples.client else {},
        "memory of the second host": [held.memory for held in samples.host],
        "trend": trend(samples.client),
        "trend of the second host": trend(samples.host) if samples.host else [],
        "faults": findings.faults,
    }


def _table(told: dict[str, Any]) -> str:
    lines = [f"{'event':12}{'times':>7}{'noticed, ms: p50':>18}{'max':>10}"]
    for kind, times in told["events"].items():
        seen = told["noticed"].get(kind)
        cells = f"{seen['p50'] * 1e3:18.1f}{seen['max'] * 1e3:10.1f}" if seen else ""
        lines.append(f"{kind:12}{times:7}{cells}")
    lines += [
        f"{name}: {told[name][0]:,} first, {told[name][-1]:,} last"
        for name in ("descriptors", "memory")
        if told[name]
    ]
    lines += [f"the client: {text}" for text in told["trend"]]
    lines += [f"the second host: {text}" for text in told["trend of the second host"]]
    lines.append(f"{told['calls']:,} calls, {told['messages of the living']:,} messages")
    return "\n".join([*lines, *(f"FAULT: {text}" for text in told["faults"]), told["summary"]])


if __name__ == "__main__":
    sys.exit(main())
