"""Run a program on the emulator, and say what its device code did wrong."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porting.emulate.toolkits import compiler
from porting.errors import UsageError, reason


@dataclass(frozen=True)
class Machine:
    """The emulated machine: where the libraries are, the sidecars, what the devices are."""

    libraries: Path
    sidecars: tuple[Path, ...]
    arch: str
    release: str
    wave: int
    devices: int = 1
    memory: str = ""
    seed: int = 0
    delay_us: int = 0
    faults: str = ""
    leaks: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a program ended: its exit status as shells count, and the findings."""

    status: int
    findings: tuple[Mapping[str, Any], ...]


def environment_of(
    machine: Machine, report: Path, before: Mapping[str, str], trace: Path | None = None
) -> dict[str, str]:
    """Return the environment in which a program finds the emulator instead of a GPU."""
    symbolizer = compiler().tool("llvm-symbolizer")
    values = {
        "SIDECARS": ":".join(str(path) for path in machine.sidecars),
        "DEVICES": str(machine.devices),
        "MEMORY": machine.memory,
        "WAVE": str(machine.wave),
        "SEED": str(machine.seed),
        "DELAY_US": str(machine.delay_us),
        "FAULTS": machine.faults,
        "LEAKS": "1" if machine.leaks else "",
        "REPORT": str(report),
        "TRACE": str(trace or ""),
        "SYMBOLIZER": str(symbolizer or ""),
        "ARCH": machine.arch,
        "RELEASE": machine.release,
    }
    ours = {f"ECLOSION_EMULATOR_{name}": value for name, value in values.items()}
    given = {name: value for name, value in ours.items() if value}
    kept = {name: value for name, value in before.items() if name not in ours}
    searched = [str(machine.libraries), before.get("LD_LIBRARY_PATH", "")]
    return {**kept, **given, "LD_LIBRARY_PATH": ":".join(filter(None, searched))}


def run(
    command: Sequence[str],
    machine: Machine,
    report: Path,
    trace: Path | None = None,
    output: Path | None = None,
) -> Outcome:
    """Run a program to its end, with our own standard streams.

    `report`: findings are added there.  `trace`: gets what its buffers held.  `output`: gets its
    standard output instead.  Signals that the terminal sends reach it by themselves; those that
    end us are passed on.  Raises UsageError when the program cannot be started, or the report not
    be written.
    """
    begun = _size_of_report(report)
    environment = environment_of(machine, report, os.environ, trace)
    with ExitStack() as files:
        stdout = None if output is None else files.enter_context(output.open("wb"))
        try:
            child = subprocess.Popen(list(command), env=environment, stdout=stdout)
        except OSError as error:
            raise UsageError(f"{command[0]} cannot be run: {reason(error)}") from error
    before = {
        number: signal.signal(number, lambda given, _frame: child.send_signal(given))
        for number in (signal.SIGTERM, signal.SIGHUP)
    }
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return Outcome(status if status >= 0 else 128 - status, findings_of(report, begun))


def findings_of(report: Path, begin: int = 0) -> tuple[Mapping[str, Any], ...]:
    """Return the findings that a report has from a byte on."""
    return _lines(report, begin)


def _size_of_report(report: Path) -> int:
    """Return where this run's findings begin in a report that is there or can be made."""
    if report.exists() and not report.is_file():
        raise UsageError(f"{report} is no regular file; findings are added to one: name another")
    try:
        with report.open("ab") as file:
            return file.tell()
    except OSError as error:
        raise UsageError(f"findings cannot be added to {report}: {reason(error)}") from error


def buffers_of(trace: Path) -> tuple[Mapping[str, Any], ...]:
    """Return what a trace says of buffers, in the order in which they were freed."""
    return _lines(trace)


def _lines(path: Path, begin: int = 0) -> tuple[Mapping[str, Any], ...]:
    """Return the records of a file; a line that a killed process left unfinished is none."""
    if not path.is_file():
        return ()
    found = []
    for line in path.read_bytes()[begin:].decode(errors="replace").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            sys.stderr.write(f"{path} has an unfinished line, which was left out\n")
    return tuple(found)
