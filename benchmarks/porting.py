"""Compare the port with torch.utils.hipify on real CUDA trees: CPU time, and what compiles.

    python benchmarks/porting.py [--trees NAME ...] [--runs 5] [--no-compile] [--every N]
        [--json FILE]

Each conversion runs in a process of its own, ours and the peer's in turn, over the same files; the
median of the runs is shown.  Then every unit with CUDA in it is compiled (syntax only) for the host
and for gfx942 against the ROCm tree that `porting sysroot create` makes and torch's headers.
Exits with 1 when the port was slower on some tree, or less of some tree compiles.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# This script has the name of the package that it measures: take that one, not the script.
sys.path[0] = str(ROOT)

from benchmarks.real_trees.compiling import Compiler, Side, default_jobs  # noqa: E402
from benchmarks.real_trees.fetch import FetchError, Tree, cache, fetch, pinned  # noqa: E402
from benchmarks.real_trees.rates import Comparison, Converted, UnitResult  # noqa: E402
from benchmarks.real_trees.remembered import Outcome, Remembered  # noqa: E402
from benchmarks.real_trees.sources import Sources  # noqa: E402
from benchmarks.real_trees.torch_headers import thrust_headers, torch_headers  # noqa: E402
from ci.checkers.cuda_names import read_names  # noqa: E402

ROCM = "7.1"
_CLANG = "clang++-19"


@dataclass(frozen=True)
class Timing:
    """Seconds of CPU that the conversion of one tree took, medians."""

    files: int
    ours: float
    peer: float
    startup: tuple[float, float]

    @property
    def ratio(self) -> float:
        """Ours as a part of the peer's."""
        return self.ours / self.peer


def main() -> int:
    """Run the comparison and print its tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trees", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--runs", type=int, default=5, help="conversions per tree and converter")
    parser.add_argument("--no-compile", action="store_true", help="compare the time alone")
    parser.add_argument("--every", type=int, default=1, help="compile each Nth unit")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="compilers at a time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    given = parser.parse_args()
    try:
        trees = pinned(frozenset(given.trees))
        with tempfile.TemporaryDirectory(prefix="bench-porting-") as folder:
            told = _compare(trees, Path(folder), given)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1
    print(told["summary"])
    if given.json:
        given.json.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if told["slower"] or told["less"] else 0


def _compare(trees: list[Tree], work: Path, given: argparse.Namespace) -> dict[str, Any]:
    heading = f"{'files':>6} {'ours':>8} {'peer':>8} {'ratio':>6}   start-up ours/peer"
    print(f"{'conversion alone, CPU seconds':32} {heading}")
    timings: dict[str, Timing] = {}
    converted: dict[str, tuple[Converted, Converted]] = {}
    for tree in trees:
        timing, converted[tree.name] = _time(tree, work / tree.name, given.runs)
        timings[tree.name] = timing
        print(
            f"{tree.label:32} {timing.files:6} {timing.ours:8.3f} {timing.peer:8.3f}"
            f" {timing.ratio:6.2f}   {timing.startup[0]:.3f}/{timing.startup[1]:.3f}",
            flush=True,
        )
    rates = {} if given.no_compile else _rates(trees, converted, given)
    slower = [name for name, timing in timings.items() if timing.ratio >= 1]
    less = [name for name, sides in rates.items() if any(o < p for o, p, _ in sides.values())]
    return {
        "seconds": {name: asdict(each) | {"ratio": each.ratio} for name, each in timings.items()},
        "compiled": rates,
        "slower": slower,
        "less": less,
        "summary": _summary(len(trees), slower, less, compiled=not given.no_compile),
    }


def _summary(trees: int, slower: list[str], less: list[str], *, compiled: bool) -> str:
    parts = [f"slower than the peer: {', '.join(slower) or 'no tree'}"]
    if compiled:
        parts.append(f"less compiles than with the peer: {', '.join(less) or 'of no tree'}")
    return f"porting: {trees} trees; {'; '.join(parts)}"


def _time(tree: Tree, work: Path, runs: int) -> tuple[Timing, tuple[Converted, Converted]]:
    source = fetch(tree) / "tree"
    results: dict[str, list[dict[str, Any]]] = {"ours": [], "peer": []}
    for run in range(runs):
        for who, done in results.items():
            out = work / f"{who}-{run}"
            done.append(_convert(who, source, out, tree.headers))
    ours, peer = (
        {key: statistics.median(r[key] for r in done) for key in ("seconds", "startup")}
        for done in results.values()
    )
    startup = (ours["startup"], peer["startup"])
    last = runs - 1
    return (
        Timing(results["peer"][0]["files"], ours["seconds"], peer["seconds"], startup),
        (
            Converted(work / f"ours-{last}"),
            Converted(work / f"peer-{last}", results["peer"][last]["names"]),
        ),
    )


def _convert(who: str, source: Path, out: Path, headers: tuple[str, ...]) -> dict[str, Any]:
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.real_trees.convert", who, str(source), str(out)]
    command += ["--headers", *headers]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode:
        raise SystemExit(f"{who} failed on {source}:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _rates(
    trees: list[Tree],
    converted: dict[str, tuple[Converted, Converted]],
    given: argparse.Namespace,
) -> dict[str, dict[str, tuple[int, int, int]]]:
    """Print what compiles of each tree; returns ours, the peer's and all units by tree and side."""
    names = read_names(ROOT / "porting" / "mappings", ROCM)
    comparison = Comparison(_compiler(given.jobs), names, given.every)
    heading = " ".join(f"{side} ours/peer/all".rjust(24) for side in Side)
    print(f"\n{'units that clang accepts':32} {heading}")
    rates = {}
    everything: list[UnitResult] = []
    for tree in trees:
        ours, peer = (_flagged(tree, result) for result in converted[tree.name])
        results = comparison.of(fetch(tree) / "tree", ours, peer)
        everything += results
        _print_rates(tree.label, results)
        _print_details(results)
        rates[tree.name] = {str(side): _rate(results, side) for side in Side}
    _print_rates("all", everything)
    units = {(r.unit, r.side) for r in everything if not r.excluded}
    print(f"{len({unit for unit, _ in units})} different unit paths were compared")
    return rates


def _flagged(tree: Tree, converted: Converted) -> Converted:
    """Return a conversion with the flags that the tree's build file would give."""
    place = fetch(tree)
    flags = [f"-D{name}" for name in tree.defines]
    flags += [f"-U{name}" for name in tree.undefines]
    flags += [f"-isystem{place / 'vendor' / folder}" for folder in tree.vendor]
    folders = tuple(converted.root / folder for folder in tree.headers)
    return replace(converted, flags=tuple(flags), folders=folders)


def _compiler(jobs: int) -> Compiler:
    command = [sys.executable, "-m", "porting", "sysroot", "create", "--rocm", ROCM]
    done = subprocess.run(
        [*command, "--format", "json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"no ROCm tree: {done.stderr.strip()}")
    torch = torch_headers()
    system = (torch, torch / "torch" / "csrc" / "api" / "include", thrust_headers())
    path = Path(json.loads(done.stdout)["path"])
    headers = tuple(folder for folder in system if folder)
    kept = cache().parent / "compiled"
    sources = Sources(kept / "sources", (path / "include", *headers))
    return Compiler(_CLANG, path, headers, jobs, Remembered(kept, _CLANG), sources)


def _print_rates(label: str, results: list[UnitResult]) -> None:
    rates = (_rate(results, side) for side in Side)
    cells = [f"{ours}/{peer}/{count}".rjust(24) for ours, peer, count in rates]
    print(f"{label:32} {' '.join(cells)}", flush=True)


def _print_details(results: list[UnitResult]) -> None:
    for result in results:
        if result.excluded:
            print(f"    left out: {result.unit} ({result.side}): no {result.excluded} here")
    for who in ("ours", "peer"):
        failures = Counter(
            _text(getattr(r, who)) for r in results if not r.excluded and not getattr(r, who).passed
        )
        for text, count in failures.most_common():
            print(f"    {who} fails {count}x: {text}")


def _text(outcome: Outcome) -> str:
    return f"no header {outcome.missing}" if outcome.missing else outcome.error


def _rate(results: list[UnitResult], side: Side) -> tuple[int, int, int]:
    """Return how many units of a side compile of ours and of the peer's, and how many there are."""
    counted = [r for r in results if r.side is side and not r.excluded]
    return (
        sum(r.ours.passed for r in counted),
        sum(r.peer.passed for r in counted),
        len(counted),
    )


if __name__ == "__main__":
    sys.exit(main())
