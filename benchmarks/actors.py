"""Compare our actors with torchmonarch's: latency, throughput, start, death, memory, import.

    python benchmarks/actors.py [--only MEASURE ...] [--repeats 3] [--quick] [--json FILE]

Every measure runs in a fresh client of each side, ours and the peer's in turn, and the medians
over the repeats are shown with their ratios; above one, ours is better.  The last lines show the
floor, a bare round trip between two processes over a unix socket.  Ours runs in the interpreter
that runs this script; the peer's is made under build/ unless --peer-python names one.
Exits with 1 when ours is not as good as it has to be.
"""

import argparse
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The folder of this script holds a `porting.py`, which is not the package.
sys.path[0] = str(ROOT)

from benchmarks.actor_measures import peer  # noqa: E402
from benchmarks.actor_measures.floor import floors  # noqa: E402
from benchmarks.actor_measures.rows import ROWS  # noqa: E402
from benchmarks.actor_measures.side import Outcome, Side  # noqa: E402
from benchmarks.actor_measures.table import Results  # noqa: E402

_OURS = "runtime.actor"
_MEASURES = tuple(dict.fromkeys(row.measure for row in ROWS))
_ONCE = "kill"  # hundreds of kills for ours and many seconds each for the peer: once is enough


def main() -> int:
    """Run the comparison and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=(*_MEASURES, "floor"), metavar="MEASURE")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each measure and side")
    parser.add_argument("--quick", action="store_true", help="one repeat, fewer calls in each")
    parser.add_argument("--peer-python", type=Path, help="an interpreter that has torchmonarch")
    parser.add_argument("--no-peer", action="store_true", help="measure ours alone")
    parser.add_argument("--timeout", type=float, default=240, help="seconds for one run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    given = parser.parse_args()
    machine = {"cpus": os.cpu_count(), "load": os.getloadavg()[0], "python": sys.version.split()[0]}
    print(f"{machine['cpus']} CPUs, load {machine['load']:.1f} before the first run", flush=True)
    results = _measure(given)
    print(results.table())
    print(results.summary())
    if given.json:
        told = {**results.as_json(), "machine": machine, "peer": peer.REQUIREMENT}
        given.json.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if results.missed() else 0


def _measure(given: argparse.Namespace) -> Results:
    sides = (Side("ours", _OURS, Path(sys.executable)), _peer(given))
    wanted = given.only or (*_MEASURES, "floor")
    runs: dict[str, dict[str, list[Outcome]]] = {side.name: {} for side in sides}
    for measure in (name for name in _MEASURES if name in wanted):
        for repeat in range(1 if given.quick or measure == _ONCE else given.repeats):
            for side in sides if repeat % 2 == 0 else sides[::-1]:
                outcome = side.run(measure, quick=given.quick, timeout=given.timeout)
                runs[side.name].setdefault(measure, []).append(outcome)
                said = outcome.reason or "done"
                print(f"{measure} {side.name} {repeat + 1}: {said}", file=sys.stderr, flush=True)
    floor = floors(*(2000, 1) if given.quick else (10000, 5)) if "floor" in wanted else None
    return Results(runs["ours"], runs["peer"], floor)


def _peer(given: argparse.Namespace) -> Side:
    """Return the peer's side, which says why it is missing if it cannot be had."""
    nowhere = Path(os.devnull)
    if given.no_peer:
        return Side("peer", peer.PACKAGE, nowhere, "--no-peer was given")
    try:
        return Side("peer", peer.PACKAGE, given.peer_python or peer.peer_python())
    except peer.PeerError as error:
        return Side("peer", peer.PACKAGE, nowhere, str(error))


if __name__ == "__main__":
    sys.exit(main())
