"""Run a script of benchmarks/ with arguments that make it short, and read what it reports."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = {path.stem: path for path in sorted((ROOT / "benchmarks").glob("*.py"))}
QUICK = {
    "actors": ("--only", "import", "--quick", "--no-peer"),
    "emulator": ("--quick",),
    "porting": ("--runs", "1", "--no-compile", "--trees", "torch-scatter"),
    "soak_actors": ("--seconds", "1", "--procs", "2", "--no-link", "--events", "nothing"),
}
_SECONDS = 300


@dataclass(frozen=True)
class Report:
    """What a script printed, in lines, and what it wrote to the file of --json."""

    lines: list[str]
    told: dict[str, Any]


def run_script(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of benchmarks/ to its end."""
    command = [sys.executable, str(SCRIPTS[name]), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)


def report_of(name: str, folder: Path) -> Report:
    """Run a script shortly; what it says of the figures of so short a run is not looked at."""
    output = folder / "figures.json"
    done = run_script(name, *QUICK[name], "--json", str(output))
    assert done.returncode in {0, 1}, done.stderr
    assert output.is_file(), done.stderr
    return Report(done.stdout.splitlines(), json.loads(output.read_text()))
