"""Fixtures of the rule tests: one family at a time, and a compiler for what it writes."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from porting.config import Target
from porting.diagnostics import Diagnostic, by_place
from porting.edits import Edit, EditSet, apply_edits
from porting.mapping import Names
from porting.rules import Project, Rule, Unit
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

ARCHS = ("gfx90a", "gfx942", "gfx1100")


@dataclass(frozen=True)
class Ported:
    """The text that one family wrote, and what it said."""

    text: str
    findings: tuple[Diagnostic, ...]

    def said(self, *, above: str = "") -> list[tuple[int, str]]:
        """Return (line, code) of the findings; with `above`, only warnings and errors."""
        return [(d.line, d.code) for d in self.findings if not above or d.severity.value != above]


def apply_rule(rule: Rule, text: str, rocm: str, path: str, project: Project) -> Ported:
    """Run one family over a text and apply its edits, which must not overlap."""
    source = SourceFile(path, text.encode("latin-1"))
    unit = Unit(source, Target(rocm), Names.load(rocm), project)
    edits = EditSet()
    findings: list[Diagnostic] = []
    for finding in rule(unit):
        wanted = [finding] if isinstance(finding, Edit) else list(finding.edits)
        assert edits.add(wanted), f"{finding} overlaps an earlier rewrite"
        if isinstance(finding, Diagnostic):
            findings.append(finding)
    return Ported(apply_edits(text, edits.sorted()), tuple(by_place(findings)))


@pytest.fixture
def ported() -> Callable[..., Ported]:
    """Return `ported(rule, text, ...)`, which checks that a second run changes nothing."""

    def port(
        rule: Rule,
        text: str,
        rocm: str = "7.1",
        path: str = "k.cu",
        project: Project | None = None,
    ) -> Ported:
        tree = project or Project()
        first = apply_rule(rule, text, rocm, path, tree)
        assert apply_rule(rule, first.text, rocm, path, tree).text == first.text
        return first

    return port


@pytest.fixture
def compiles(tmp_path: Path) -> Callable[..., None]:
    """Return `compiles(text, sysroot)`: device code must pass clang for every architecture."""

    def check(text: str, sysroot: Sysroot, *flags: str) -> None:
        source = tmp_path / "k.hip"
        source.write_text("#include <hip/hip_runtime.h>\n" + text, encoding="latin-1")
        command = [
            "clang++-19",
            *("-x", "hip", "-std=c++17", "-fsyntax-only", "-nogpulib", "--offload-device-only"),
            *(f"--offload-arch={arch}" for arch in ARCHS),
            *(f"--rocm-path={sysroot.path}", f"-isystem{sysroot.include}", "-Wno-everything"),
            *flags,
            str(source),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, f"{done.stderr}\n{text}"

    return check
