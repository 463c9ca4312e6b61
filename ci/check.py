"""Run every area of the suite, then print how each one ended and how long it took.

All areas run whatever happened before them; the exit status is 1 when one of them failed. Run it
with the interpreter of the development environment (`make test` does).
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ci import run as cell_runs
from ci.areas import Area, Outcome, Tally, run
from ci.cells import read_matrix

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
REPORTS = ROOT / "build" / "reports"
# Sanitizers that can share a build, by the folder of the build. The compiler is the one that has
# libFuzzer; its thread sanitizer also runs on kernels that spread memory too wide for older ones.
CPP_COMPILER = "clang++-19"
CPP_JOBS = {
    "c++ asan+ubsan": ("build/cpp-memory", "address,undefined,fuzzer-no-link"),
    "c++ tsan": ("build/cpp-threads", "thread"),
}
PYTEST_WORKERS = "2"
# The tests' CUDA home for what else is built against one, or there would be two of each.
WITH_CUDA_HOME = (
    *("sh", "-c", 'CUDA_HOME="$("$0" -m ci.cuda_home)" && export CUDA_HOME && exec "$0" "$@"'),
    sys.executable,
)
# Half a minute of random deaths, pauses and slow consumers; the same ones in every run. Whether
# memory grows takes a longer one to tell: `make bench` has it.
SOAK = ("benchmarks/soak_actors.py", "--seconds", "30", "--seed", "1", "--few", "60")


def tool(name: str, *arguments: str) -> list[str]:
    """Return the command of a program that the development environment holds."""
    return [str(BIN / name), *arguments]


def static_areas() -> list[Area]:
    """List the areas that only read the sources."""
    sources = [
        str(path.relative_to(ROOT))
        for folder in ("bindings", "porting/emulate")
        for pattern in ("*.cpp", "*.h", "*.cu")
        for path in sorted((ROOT / folder).rglob(pattern))
    ]
    return [
        Area("lint", (tool("ruff", "check"), tool("ruff", "format", "--check"))),
        Area("c++ format", (["clang-format-19", "--dry-run", "--Werror", *sources],)),
        Area("imports", (tool("lint-imports"),)),
        Area("types", (tool("mypy"),)),
    ]


def test_areas(extra_pytest: Sequence[str]) -> list[Area]:
    """List the areas that build and run something."""
    report = REPORTS / "python.xml"
    pytest = tool("pytest", "-q", "-n", PYTEST_WORKERS, "--dist", "loadgroup", "--durations=10")
    # Outside of a cell the parity suite has no platform.
    pytest += [f"--junitxml={report}", "--ignore=tests/parity", *extra_pytest]
    jobs = [cpp_area(name, *job) for name, job in CPP_JOBS.items()]
    # Built here, so that no test's time limit has to allow for it.
    emulate = [*WITH_CUDA_HOME, "-m", "porting", "emulate", "--platform"]
    jobs.append(Area("emulator", tuple([*emulate, p, "--", "true"] for p in ("cuda", "rocm"))))
    soak = Area("soak of actors", (tool("python", *SOAK),))
    return [*jobs, Area("python tests", (pytest,), report), *parity_areas(), soak]


def parity_areas() -> list[Area]:
    """List the cells of the parity matrix that this machine can run, and their joint table."""
    own = f"3.{sys.version_info.minor}"
    chosen = [cell for cell in read_matrix().values() if cell.in_make_test and cell.python == own]
    why_not = cell_runs.reasons(chosen)
    folder = REPORTS / "parity"
    areas, reports = [], []
    for cell in chosen:
        if why_not[cell.id]:
            print(f"{cell.id} is left out: {why_not[cell.id]}")
            continue
        report = folder / f"{cell.id}.xml"
        reports.append(str(report))
        command = [*WITH_CUDA_HOME, "-m", "ci.run", cell.id, "--junit", str(report)]
        command += ["--", "-n", PYTEST_WORKERS]
        areas.append(Area(cell.id, (command,), report))
    forms = ["--html", str(folder / "parity.html"), "--json", str(folder / "parity.json")]
    join = tool("python", "-m", "ci.parity", *reports, *forms)
    emulated = [report for report in reports if report.endswith("-emulated.xml")]
    shown = tool("python", "-m", "ci.conformance", "show", *emulated)
    return [*areas, Area("parity table", (join, shown) if emulated else (join,))]


def cpp_area(name: str, folder: str, sanitizers: str) -> Area:
    """Build the C++ tests under these sanitizers in a folder of their own, and run them."""
    configure = tool("cmake", "-S", ".", "-B", folder, "-G", "Ninja", "--log-level=WARNING")
    configure += [
        f"-DCMAKE_MAKE_PROGRAM={BIN / 'ninja'}",
        f"-DCMAKE_CXX_COMPILER={CPP_COMPILER}",
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DECLOSION_MODULE=OFF",
        "-DECLOSION_TESTS=ON",
        f"-DECLOSION_SANITIZE={sanitizers}",
    ]
    report = REPORTS / f"{Path(folder).name}.xml"
    ctest = tool("ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error")
    ctest += ["--timeout", "60", "--parallel", "2", "--output-junit", str(report)]
    return Area(name, (configure, tool("cmake", "--build", folder), ctest), report)


def table(outcomes: Sequence[Outcome], total_seconds: float) -> str:
    """Lay out a line per area, a line per folder of tests below it, and the counts."""
    lines = [f"{'area':34}{'result':8}{'seconds':>9}"]
    for outcome in outcomes:
        verdict = "ok" if outcome.ok else "FAILED"
        lines.append(f"{outcome.area.name:34}{verdict:8}{outcome.seconds:9.1f}")
        if len(outcome.folders) > 1:
            lines += [_folder_line(name, outcome.folders[name]) for name in sorted(outcome.folders)]
    lines.append(f"{'total':42}{total_seconds:9.1f}")
    tests = sum((part for each in outcomes for part in each.folders.values()), Tally())
    lines.append(
        f"{tests.passed + tests.failed + tests.skipped} tests from {len(tests.functions)} functions"
    )
    failed = [outcome.area.name for outcome in outcomes if not outcome.ok]
    lines.append(f"failed areas: {', '.join(failed)}" if failed else "every area passed")
    return "\n".join(lines)


def _folder_line(name: str, tests: Tally) -> str:
    verdict = "FAILED" if tests.failed else "ok"
    return (
        f"  {name:32}{verdict:8}{tests.seconds:9.1f}  (sum of {tests.passed + tests.failed} tests)"
    )


def closing_line(outcomes: Sequence[Outcome]) -> str:
    """Count tests, and each area without tests as one check."""
    tests = sum((part for each in outcomes for part in each.folders.values()), Tally())
    plain = [outcome for outcome in outcomes if not outcome.folders]
    passed = tests.passed + sum(outcome.ok for outcome in plain)
    failed = tests.failed + sum(not outcome.ok for outcome in plain)
    return f"checks: {passed} passed, {failed} failed, {tests.skipped} skipped"


def main(arguments: Sequence[str]) -> int:
    """Run all areas; arguments that are not ours go to pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--static", action="store_true", help="only read the sources")
    ours, extra_pytest = parser.parse_known_args(arguments)
    # Here a missing compiler or sysroot is a failure; elsewhere those tests are skipped.
    os.environ["ECLOSION_REQUIRE_TOOLCHAIN"] = "1"
    # Tests look for cmake and ninja on PATH, and the pinned ones are to be found first.
    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    REPORTS.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    outcomes = []
    for area in static_areas() + ([] if ours.static else test_areas(extra_pytest)):
        print(f"== {area.name}", flush=True)
        outcomes.append(run(area, ROOT))
    print(f"\n{table(outcomes, time.monotonic() - start)}")
    print(closing_line(outcomes), flush=True)
    return 0 if all(outcome.ok for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
