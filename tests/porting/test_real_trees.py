"""Real CUDA trees from the package index: no crash, nothing left in silence, stable, prose intact.

The trees are pinned in benchmarks/real_trees/trees.toml and downloaded into the cache; what is
checked of a port is checked by ci/checkers/raw_tokens.py, with clang's lexer instead of ours.
"""

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TREES = [
    tree["name"]
    for tree in tomllib.loads((ROOT / "benchmarks/real_trees/trees.toml").read_text())["tree"]
]
pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Ported:
    """A tree, its port, and the report."""

    name: str
    source: Path
    output: Path
    report: Path

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """The findings of the report."""
        found: list[dict[str, Any]] = json.loads(self.report.read_text())["diagnostics"]
        return found


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the checkout from its root."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )


def port(source: Path, output: Path, report: Path) -> subprocess.CompletedProcess[str]:
    """Port a tree without verifying it."""
    options = ("--no-verify", "--format", "json", "--report", str(report))
    return run("porting", "port", str(source), "-o", str(output), *options)


@pytest.fixture(scope="module", params=TREES)
def ported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ported:
    """Return one tree and its port; a failure to fetch it is an error, not a pass."""
    name = str(request.param)
    fetched = run("benchmarks.real_trees.fetch", name)
    assert fetched.returncode == 0, fetched.stderr
    source = Path(json.loads(fetched.stdout)["path"]) / "tree"
    work = tmp_path_factory.mktemp(name)
    done = port(source, work / "rocm", work / "report.json")
    assert done.returncode in (0, 1), done.stderr
    assert (work / "report.json").is_file(), done.stderr
    return Ported(name, source, work / "rocm", work / "report.json")


def test_no_file_makes_the_tool_fail(ported: Ported) -> None:
    crashes = [d for d in ported.diagnostics if d["topic"] == "internal-error"]
    assert crashes == []


def test_clang_finds_no_silent_cuda_name_and_no_touched_prose(ported: Ported) -> None:
    checked = run(
        "ci.checkers.raw_tokens", str(ported.source), str(ported.output), str(ported.report)
    )
    assert checked.returncode == 0, checked.stdout[-6000:] + checked.stderr


def test_second_run_over_the_output_changes_nothing(ported: Ported, tmp_path: Path) -> None:
    done = port(ported.output, tmp_path / "again", tmp_path / "report.json")
    assert done.returncode in (0, 1), done.stderr
    for path in sorted(ported.source.rglob("*")):
        if path.is_file():
            name = path.relative_to(ported.source)
            first, second = ported.output / name, tmp_path / "again" / name
            assert first.read_bytes() == second.read_bytes(), f"{name} changed again"
