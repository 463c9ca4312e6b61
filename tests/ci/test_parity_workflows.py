"""Workflows and container files: their linters find nothing in them, and find planted faults."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ci.cells import ROOT, read_matrix

WORKFLOWS = ROOT / ".github" / "workflows"
CONTAINERS = ROOT / "ci" / "containers"
ACTIONLINT = ("actionlint",)
ZIZMOR = ("zizmor", "--offline", "--no-progress", "--min-severity", "medium")

Lint = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def lint(program: Callable[[str], str]) -> Lint:
    """Return a function that runs a linter on files."""

    def run(command: tuple[str, ...], *files: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [program(command[0]), *command[1:], *map(str, files)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
        )

    return run


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Path, str, str], Path]:
    """Return a function that copies a file beside its like and plants a fault in it."""

    def plant(original: Path, right: str, wrong: str) -> Path:
        folder = tmp_path / ".github" / "workflows"
        shutil.copytree(original.parent, folder, dirs_exist_ok=True)
        (tmp_path / ".git").mkdir(exist_ok=True)
        copy = folder / original.name
        text = copy.read_text()
        assert right in text
        copy.write_text(text.replace(right, wrong))
        return copy

    return plant


@pytest.mark.parametrize("command", [ACTIONLINT, ZIZMOR], ids=lambda c: c[0])
def test_workflows_when_linted(command: tuple[str, ...], lint: Lint) -> None:
    files = sorted(WORKFLOWS.glob("*.yml"))
    assert [path.name for path in files] == ["cells.yml", "parity.yml", "test.yml"]
    done = lint(command, *files)
    assert done.returncode == 0, done.stdout + done.stderr


CHECKOUT = "@08c6903cd8c0fde910a37f88322edcfb5dd907a8"
FAULTS = {
    'property "hoste" is not defined': (
        *(ACTIONLINT, "parity.yml"),
        *("needs.matrix.outputs.hosted", "needs.matrix.outputs.hoste"),
    ),
    '"cells" is required': (ACTIONLINT, "parity.yml", "      cells: ", "      cell: "),
    'unexpected key "run-on"': (ACTIONLINT, "test.yml", "runs-on:", "run-on:"),
    "template-injection": (ZIZMOR, "cells.yml", '"$CELL" --junit', "${{ matrix.cell }} --junit"),
    "artipacked": (ZIZMOR, "test.yml", "persist-credentials: false", "fetch-depth: 1"),
    "unpinned-uses": (ZIZMOR, "cells.yml", CHECKOUT, "@v5"),
}


@pytest.mark.parametrize("told", FAULTS)
def test_linters_when_a_workflow_is_wrong(
    told: str, lint: Lint, changed: Callable[[Path, str, str], Path]
) -> None:
    command, name, right, wrong = FAULTS[told]
    done = lint(command, changed(WORKFLOWS / name, right, wrong))
    assert done.returncode != 0
    assert told in done.stdout + done.stderr


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_containers_when_linted(platform: str, lint: Lint) -> None:
    done = lint(("hadolint",), CONTAINERS / f"{platform}.Containerfile")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("ubuntu-24.04:${TAG}", "ubuntu-24.04", "DL3006"),
        ("RUN apt-get update", "RUN cd /tmp && apt-get update", "DL3003"),
        ("WORKDIR /eclosion", "WORKDIR eclosion", "DL3000"),
    ],
)
def test_linters_when_a_container_is_wrong(
    right: str, wrong: str, told: str, lint: Lint, changed: Callable[[Path, str, str], Path]
) -> None:
    done = lint(("hadolint",), changed(CONTAINERS / "rocm.Containerfile", right, wrong))
    assert done.returncode == 1
    assert told in done.stdout


def test_containers_when_compared() -> None:
    """Each platform's starts from the vendor's image, and they have nothing else of their own."""
    lines = [
        (CONTAINERS / f"{platform}.Containerfile").read_text().splitlines()
        for platform in ("cuda", "rocm")
    ]
    own = [pair for pair in zip(*lines, strict=True) if pair[0] != pair[1]]
    assert [pair[0].split()[0] for pair in own] == ["#", "ARG", "FROM", "CUDA_HOME=/usr/local/cuda"]
    ignored = {path.read_text() for path in CONTAINERS.glob("*.dockerignore")}
    assert len(ignored) == 1


def test_containers_when_a_cell_gives_arguments() -> None:
    """What `--container` gives as build arguments is what the files take."""
    for platform in ("cuda", "rocm"):
        text = (CONTAINERS / f"{platform}.Containerfile").read_text()
        assert re.findall(r"^ARG (\w+)=", text, re.MULTILINE) == ["TAG", "PYTHON"]
        default = re.search(r"^ARG TAG=(\S+)$", text, re.MULTILINE)
        assert default is not None
        tags = {c.toolkit.tag for c in read_matrix().values() if c.platform == platform}
        assert default[1] in tags


def test_workflow_when_compared_with_the_matrix() -> None:
    """Each kind of runner has a job, and the table asks for its reports."""
    text = (WORKFLOWS / "parity.yml").read_text()
    runners = {cell.runner.name for cell in read_matrix().values()}
    (asked,) = re.findall(r"for runner in ([\w ]+);", text)
    assert set(asked.split()) == runners
    assert set(re.findall(r"cells: \$\{\{ needs\.matrix\.outputs\.(\w+) \}\}", text)) == runners
    assert set(re.findall(r"--expect (\w+)", text)) == runners


def test_workflow_when_a_pull_request_comes() -> None:
    """Code of a pull request does not reach runners that are kept."""
    text = (WORKFLOWS / "parity.yml").read_text()
    jobs = re.split(r"^  (?=\w+:$)", text[text.index("\njobs:") :], flags=re.MULTILINE)
    kept = {"cuda", "rocm"}
    found = {job.partition(":")[0]: job for job in jobs if job.partition(":")[0] in kept}
    assert set(found) == kept
    assert all("github.event_name != 'pull_request'" in job for job in found.values())


def test_workflow_when_it_runs_the_suite() -> None:
    assert "run: .ci/run\n" in (WORKFLOWS / "test.yml").read_text()
