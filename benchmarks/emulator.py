"""Compare the emulator's kernel threads per second with those of the 200-line proof before it.

    python benchmarks/emulator.py [--repeats 5] [--side 256] [--seconds 0.5] [--quick]
        [--json FILE]

Eight kernels are run by one binary, built with nvcc, on either side in turn, in fresh processes:
on the emulator with all its checks, and on the proof (benchmarks/emulator_proof), which runs a
fiber per GPU thread, one block after another, and checks nothing.  Each kernel's result is
checked on both.  The medians over the repeats are shown with their ratio: above one, ours is
faster.  Exits with 1 when a kernel's ratio is below 5, or a side did not run.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The folder of this script holds a `porting.py`, which is not the package.
sys.path[0] = str(ROOT)

from benchmarks.emulator_proof.sides import SideError, Timed, build  # noqa: E402
from benchmarks.emulator_proof.table import Results  # noqa: E402

_CPUS = 2
_QUICK = {"repeats": 1, "side": 32, "seconds": 0.02}


def main() -> int:
    """Run the comparison and print its table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side")
    parser.add_argument("--side", type=int, default=256, help="of the square of a launch's threads")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each kernel of a run")
    parser.add_argument("--cpus", type=int, default=_CPUS, help="how many of them are used")
    parser.add_argument("--quick", action="store_true", help="one repeat, the smallest launches")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    given = parser.parse_args()
    if given.quick:
        vars(given).update(_QUICK)
    cpus = sorted(os.sched_getaffinity(0))[: given.cpus]
    os.sched_setaffinity(0, cpus)
    machine = {"cpus": len(cpus), "load": os.getloadavg()[0]}
    try:
        results = _measure(given)
    except SideError as error:
        print(error, file=sys.stderr)
        return 1
    print(results.table())
    print(results.summary())
    if given.json:
        sizes = {key: getattr(given, key) for key in _QUICK}
        told = {**results.as_json(), "machine": machine, **sizes}
        given.json.write_text(json.dumps(told, indent=1) + "\n")
    return 0 if results.met else 1


def _measure(given: argparse.Namespace) -> Results:
    runs: dict[str, list[list[Timed]]] = {"ours": [], "proof": []}
    with tempfile.TemporaryDirectory(prefix="bench-emulator-") as folder:
        sides = build(Path(folder))
        for repeat in range(given.repeats):
            for side in sides if repeat % 2 == 0 else sides[::-1]:
                runs[side.name].append(side.run(given.side, given.seconds, given.timeout))
                print(f"{side.name} {repeat + 1}: done", file=sys.stderr, flush=True)
    return Results(runs["ours"], runs["proof"])


if __name__ == "__main__":
    sys.exit(main())
