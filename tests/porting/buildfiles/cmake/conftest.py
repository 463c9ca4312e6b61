"""Fixtures of the tests of CMake: a tree given as texts, converted; CMake itself."""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from porting.buildfiles.cmake import CMake
from porting.buildfiles.model import BuildContext, Converted
from porting.config import Mode, Target
from porting.diagnostics import Severity
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

ARCHS = ("gfx90a", "gfx942")


@dataclass(frozen=True)
class Tree:
    """A converted tree: its CMake files, what was generated, and what was found."""

    converted: Converted

    def text(self, path: str = "CMakeLists.txt") -> str:
        """Return a file's new text."""
        (done,) = (f for f in self.converted.files if f.source.path == path)
        return done.data.decode()

    @property
    def lines(self) -> list[str]:
        """The lines of CMakeLists.txt."""
        return self.text().splitlines()

    def said(self, severity: Severity | None = None) -> list[tuple[int, str]]:
        """Return line and code of the findings, of one severity or all."""
        found = (d for file in self.converted.files for d in file.diagnostics)
        return [(d.line, d.code) for d in found if severity in (None, d.severity)]

    @property
    def errors(self) -> list[tuple[int, str]]:
        """Line and code of the errors."""
        return self.said(Severity.ERROR)

    @property
    def messages(self) -> str:
        """The texts of all findings."""
        return "\n".join(d.message for file in self.converted.files for d in file.diagnostics)


Convert = Callable[..., Tree]


@pytest.fixture
def convert() -> Convert:
    """Return a function that converts a tree: path -> text, or the text of CMakeLists.txt."""

    def run(files: Mapping[str, str] | str, mode: Mode = Mode.RENAME) -> Tree:
        tree = {"CMakeLists.txt": files} if isinstance(files, str) else files
        sources = [SourceFile(path, text.encode()) for path, text in tree.items()]
        cmake = CMake()
        mine = [source for source in sources if cmake.handles(source.path)]
        others = tuple(source for source in sources if source not in mine)
        context = BuildContext(Target("7.1", ARCHS), mode, frozenset(tree), others)
        return Tree(cmake.convert(mine, context))

    return run


Build = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def cmake(program: Callable[[str], str]) -> Build:
    """Return a function that runs cmake to its end, with a ninja that it finds."""
    found = program("cmake")
    path = f"{Path(program('ninja')).parent}{os.pathsep}{os.environ['PATH']}"

    def run(
        *words: str | Path, cwd: Path, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        dropped = ("ROCM_PATH", "ROCM_HOME", "CUDA_HOME", "CUDA_PATH", "GPU_PLATFORM")
        inherited = {k: v for k, v in os.environ.items() if k not in dropped}
        return subprocess.run(
            [found, *map(str, words)],
            cwd=cwd,
            env={**inherited, "PATH": path, **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@pytest.fixture
def for_rocm(sysroot: Sysroot) -> list[str]:
    """Return the definitions by which CMake finds the ROCm tree of the tests."""
    return [
        "-GNinja",
        f"-DCMAKE_HIP_COMPILER={sysroot.path / 'llvm/bin/clang++'}",
        f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={sysroot.path}",
    ]
