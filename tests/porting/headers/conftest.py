"""Fixtures of the header tests: headers made from a few texts, and compilers that read them."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from porting.config import Target
from porting.diagnostics import Diagnostic
from porting.headers import HEADER, INCLUDE, Headers, compat_findings, make_headers, units_of
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules import collect_project
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

Sources = Mapping[str, str]


@dataclass(frozen=True)
class Made:
    """The headers for some sources, and what is left to be said of them."""

    headers: Headers
    findings: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """The compat header."""
        return self.headers.files[HEADER]

    def said(self) -> list[tuple[str, int, str]]:
        """Return (file, line, code) of the findings."""
        return [(found.file, found.line, found.code) for found in self.findings]

    def write(self, folder: Path) -> list[str]:
        """Write the headers and return the flags of a ROCm build."""
        for path, text in self.headers.files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return ["-include", str(folder / HEADER), "-isystem", str(folder / INCLUDE)]


Make = Callable[..., Made]


@pytest.fixture
def make() -> Make:
    """Return a function that makes the headers for path -> text."""

    def made(sources: Sources | str, rocm: str = "7.1") -> Made:
        texts = {"a.cu": sources} if isinstance(sources, str) else sources
        files = [SourceFile(path, text.encode()) for path, text in texts.items()]
        target, names = Target(rocm), Names.load(rocm)
        project = collect_project(files, texts)
        units = units_of(files, target, names, project)
        found = {file.path: hipify(file, target, names, project).diagnostics for file in files}
        everything = [finding for findings in found.values() for finding in findings]
        headers = make_headers(units, target, names, project, everything)
        left = [
            finding
            for unit in units
            for finding in compat_findings(found[unit.source.path], unit, headers, names)
        ]
        return Made(headers, tuple(left))

    return made


Compile = Callable[..., str]


def _errors(command: Sequence[str], made: Made, text: str, source: Path, include: Path) -> str:
    """Compile a text with a compat header, syntax only; return what the compiler refused."""
    flags = made.write(source.parent)
    source.write_text(text)
    done = subprocess.run(
        [*command, *flags, "-isystem", str(include), "-fsyntax-only", str(source)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.stderr if done.returncode else ""


_STRICT = ("-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", "-Wno-unused-result")


@pytest.fixture
def c11(sysroot: Sysroot, tmp_path: Path) -> Compile:
    """Return a function that compiles C with every warning an error."""

    def check(made: Made, text: str) -> str:
        command = ["gcc", "-std=c11", *_STRICT]
        return _errors(command, made, text, tmp_path / "unit.c", sysroot.include)

    return check


@pytest.fixture
def cxx(sysroot: Sysroot, tmp_path: Path) -> Compile:
    """Return a function that compiles C++ for the host with every warning an error."""

    def check(made: Made, text: str, standard: str = "c++17") -> str:
        command = ["g++", f"-std={standard}", *_STRICT]
        return _errors(command, made, text, tmp_path / "unit.cpp", sysroot.include)

    return check
