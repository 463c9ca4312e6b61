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
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# This script has the name of the package that it measures: take that one, not the script.
sys.path[0] = str(ROOT)

from benchmarks.real_trees.compiling import Compiler, default_jobs  # noqa: E402
from benchmarks.real_trees.fetch import FetchError, Tree, cache, fetch, pinned  # noqa: E402
from benchmarks.real_trees.rates import Comparison, Converted, UnitResult  # noqa: E402
from benchmarks.real_trees.remembered import Remembered  # noqa: E402
from benchmarks.real_trees.sources import Sources  # noqa: E402
from benchmarks.real_trees.table import Results, Timing  # noqa: E402
from benchmarks.real_trees.torch_headers import thrust_headers, torch_headers  # noqa: E402
from ci.checkers.cuda_names import read_names  # noqa: E402

ROCM = "7.1"
_CLANG = "clang++-19"


def main() -> int:
    """Run the comparison and print its table."""
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
            results = _compare(trees, Path(folder), given)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1
    print(results.table())
    print(results.summary())
    if given.json:
        given.json.write_text(json.dumps(results.as_json(), indent=1) + "\n")
    return 1 if results.slower() or results.less() else 0


def _compare(trees: list[Tree], work: Path, given: argparse.Namespace) -> Results:
    timings: dict[str, Timing] = {}
    converted: dict[str, tuple[Converted, Converted]] = {}
    for tree in trees:
        timings[tree.label], converted[tree.name] = _time(tree, work / tree.name, given.runs)
        _progress(f"{tree.label}: converted")
    return Results(timings, {} if given.no_compile else _units(trees, converted, given))


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


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
    runs_of = {who: [run["seconds"] for run in done] for who, done in results.items()}
    return (
        Timing(results["peer"][0]["files"], ours["seconds"], peer["seconds"], startup, runs_of),
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


def _units(
    trees: list[Tree], converted: dict[str, tuple[Converted, Converted]], given: argparse.Namespace
) -> dict[str, list[UnitResult]]:
    names = read_names(ROOT / "porting" / "mappings", ROCM)
    comparison = Comparison(_compiler(given.jobs), names, given.every)
    units = {}
    for tree in trees:
        ours, peer = (_flagged(tree, result) for result in converted[tree.name])
        units[tree.label] = comparison.of(fetch(tree) / "tree", ours, peer)
        _progress(f"{tree.label}: compiled")
    return units


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


if __name__ == "__main__":
    sys.exit(main())
