"""Run one cell of the parity matrix: `python -m ci.run CELL`.

Exit status: 0, its tests ran and none failed; 1, some failed, or the run broke off and there is no
report; 2, this machine cannot run the cell, and the reason is said, or the command was wrong.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from ci import found, junit, launch
from ci.cells import ROOT, Cell, read_matrix
from ci.errors import BrokenRunError, CannotRunError, ParityError
from ci.revision import revision

REPORTS = ROOT / "build" / "reports" / "parity"
ENGINES = ("docker", "podman")
RAN = (0, 1)  # pytest's statuses when it ran to its end
_GRACE = 20  # seconds that tests have to end after a signal


def main(arguments: Sequence[str]) -> int:
    """Run a cell or tell about cells; what stands after `--` goes to pytest."""
    ours, more = _split(arguments)
    parser = _parser()
    asked = parser.parse_args(ours)
    try:
        cells = read_matrix()
        if asked.github:
            print(json.dumps(github_matrix(_of_runner(cells.values(), asked.github))))
        elif asked.list:
            chosen = _of_runner(cells.values(), asked.runner)
            print(listing(chosen, reasons(chosen, asked.python) if asked.here else None))
        elif asked.cell is None:
            parser.error("name a CELL, or ask for all with --list")
        else:
            return _run(_named(cells, asked.cell), asked, more)
    except ParityError as error:
        _say(str(error))
        return 1 if isinstance(error, BrokenRunError) else 2
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    return 0


def _say(text: str) -> None:
    print(f"ci.run: {text}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m ci.run",
        description="Run a cell of the parity matrix (ci/matrix.toml) on this machine.",
        usage="%(prog)s CELL [--junit FILE] [options] [-- PYTEST ARGUMENTS]\n"
        "       %(prog)s --list [--here] [--runner RUNNER] | --github RUNNER",
    )
    add = parser.add_argument
    add("cell", nargs="?", metavar="CELL", help="its id; --list shows them")
    add("--junit", type=Path, metavar="FILE", help="default: build/reports/parity/CELL.xml")
    add("--python", metavar="PATH", help="the interpreter to run the tests with")
    add("--suite", default=launch.SUITE, metavar="PATH", help="the tests; default: %(default)s")
    add("--revision", default="", help="what the report calls the sources; default: as git does")
    add("--prepare", metavar="MODULE", help="what builds, and prints, the emulator's build folders")
    add("--container", action="store_true", help="build the cell's container and run in it")
    add("--list", action="store_true", help="show all cells and what they need")
    add("--here", action="store_true", help="with --list: say which can run here, or why not")
    add("--runner", metavar="RUNNER", help="with --list: only cells of this kind of runner")
    add("--github", metavar="RUNNER", help="print the cells of a kind of runner for a workflow")
    return parser


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what stands before and after the first `--`."""
    given = list(arguments)
    if "--" not in given:
        return given, []
    at = given.index("--")
    return given[:at], given[at + 1 :]


def _named(cells: Mapping[str, Cell], name: str) -> Cell:
    if name in cells:
        return cells[name]
    near = [cell for cell in cells if name in cell]
    hint = f"did you mean {', '.join(near)}?" if near else "--list shows all"
    raise ParityError(f"{name} is no cell of ci/matrix.toml; {hint}")


def _of_runner(cells: Iterable[Cell], runner: str | None) -> list[Cell]:
    chosen = [cell for cell in cells if runner in (None, cell.runner.name)]
    if not chosen:
        raise ParityError(f"no rule of ci/matrix.toml has cells for the runner {runner}")
    return chosen


def github_matrix(cells: Iterable[Cell]) -> dict[str, list[dict[str, object]]]:
    """Return a workflow's job matrix with a job per cell."""
    return {
        "include": [
            {
                "cell": cell.id,
                "python": cell.python,
                "labels": list(cell.labels),
                "container": cell.in_container,
            }
            for cell in cells
        ]
    }


def listing(cells: Sequence[Cell], why_not: Mapping[str, str] | None) -> str:
    """Lay out a line per cell: what it needs and, when asked, whether this machine has it."""
    wide = max(len(cell.id) for cell in cells)
    lines = [f"{'cell':{wide}}  wave  runner  where"]
    for cell in cells:
        where = cell.toolkit.tag if cell.in_container else "host"
        line = f"{cell.id:{wide}}  {cell.wave:4}  {cell.runner.name:6}  {where}"
        if why_not is not None:
            line += f"\n    {why_not[cell.id] or 'can run here'}"
        lines.append(line)
    return "\n".join(lines)


def reasons(cells: Iterable[Cell], python: str | None = None) -> dict[str, str]:
    """Return for each cell why this machine cannot run it; an empty text when it can."""
    said = {}
    for cell in cells:
        try:
            found.find(cell, python)
            said[cell.id] = ""
        except CannotRunError as error:
            said[cell.id] = str(error)
    return said


def _run(cell: Cell, asked: argparse.Namespace, more: Sequence[str]) -> int:
    target = (asked.junit or REPORTS / f"{cell.id}.xml").resolve()
    target.unlink(missing_ok=True)  # an old report must not pass for a new one
    if asked.container:
        session = launch.Session(asked.suite, target, more, revision=revision(ROOT))
        return _run_in_container(cell, session)
    what = found.find(cell, asked.python)
    environment = launch.environment(cell, what, os.environ)
    before = revision(ROOT)
    with tempfile.TemporaryDirectory(prefix="parity-") as name:
        folder = Path(name)
        module = asked.prepare or (launch.PREPARE if asked.suite == launch.SUITE else None)
        builds = []
        if module is not None and cell.checked == "emulated":
            builds = _prepare([what.python, "-m", module], environment, folder / "builds")
        session = launch.Session(asked.suite, folder / "junit.xml", more, builds)
        status = _spawn(launch.command(cell, what.python, session), environment)
        told = {**facts(cell, what), junit.REVISION: asked.revision or _unchanged(before)}
        return _finish(told, status, session.junit, target)


def _unchanged(before: str) -> str:
    """Return the revision if it still is what it was when the run began; else nothing is known."""
    if before == revision(ROOT):
        return before
    _say("sources were edited during the run, so its report does not say of which ones it is")
    return ""


def _prepare(command: Sequence[str], environment: Mapping[str, str], said: Path) -> list[str]:
    """Return the build folders that a command prints, one in a line."""
    with said.open("wb") as output:
        status = _spawn(command, environment, output)
    if status:
        raise BrokenRunError(f"{' '.join(command)} ended with status {status}; no test was run")
    return said.read_text(encoding="utf-8").splitlines()


def _finish(told: Mapping[str, str], status: int, source: Path, target: Path) -> int:
    """Keep the report of a run that came to its end, with its facts, and return its status."""
    cell = told["cell"]
    if status not in RAN:
        raise BrokenRunError(
            f"cell {cell}: its run broke off with status {status}, and there is no report"
        )
    try:
        cases = junit.stamp(source, target, told)
    except ParityError as error:
        raise BrokenRunError(str(error)) from error
    print(f"{cell}: {cases} cases, {told['checked']}; report: {target}")
    return status


def facts(cell: Cell, what: found.Found) -> dict[str, str]:
    """Return what a report says of its cell."""
    return {
        "cell": cell.id,
        "platform": cell.platform,
        "toolkit": cell.toolkit.name,
        "release": what.release,
        "target": cell.target,
        "wave": str(cell.wave),
        "python": cell.python,
        "checked": cell.checked,
    }


def _run_in_container(cell: Cell, session: launch.Session) -> int:
    engine = next(filter(shutil.which, ENGINES), None)
    if engine is None:
        raise CannotRunError(f"no {' or '.join(ENGINES)} is on PATH, and --container needs one")
    session.junit.parent.mkdir(parents=True, exist_ok=True)
    build, run = launch.container_commands(cell, engine, session)
    if status := _spawn(build, os.environ):
        raise CannotRunError(f"the container of {cell.id} was not built: status {status}")
    return _spawn(run, os.environ)


def _spawn(
    command: Sequence[str], environment: Mapping[str, str], output: BinaryIO | None = None
) -> int:
    """Run a command to its end; a signal that would end us ends all that it started first.

    That is a process group of its own: workers and compilers outlive the pytest that began them.
    """
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, process_group=0)
    try:
        return child.wait()
    except KeyboardInterrupt:
        _end(child)
        raise
    finally:
        signal.signal(signal.SIGTERM, previous)


def _end(child: "subprocess.Popen[bytes]") -> None:
    os.killpg(child.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
