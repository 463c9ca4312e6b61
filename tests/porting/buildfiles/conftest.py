"""Fixtures for the tests of build files: files that are converted, and trees to build."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from porting.buildfiles import BuildContext, BuildFiles, convert_files
from porting.config import Mode, Target
from porting.source import SourceFile
from porting.toolkits.platforms import PLATFORMS
from porting.toolkits.sysroot import Sysroot

Contents = Mapping[str, str | bytes]


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


@pytest.fixture
def convert() -> Callable[..., BuildFiles]:
    """Return a function that converts path -> content for gfx90a and gfx942."""

    def done(files: Contents, mode: Mode = Mode.RENAME) -> BuildFiles:
        sources = [SourceFile(path, _bytes(content)) for path, content in files.items()]
        target = Target("7.1", ("gfx90a", "gfx942"))
        return convert_files(sources, BuildContext(target, mode, frozenset(files)))

    return done


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Contents, BuildFiles], Path]:
    """Return a function that writes an input with what was converted over it."""

    def written(files: Contents, done: BuildFiles) -> Path:
        contents = {path: _bytes(content) for path, content in files.items()} | done.outputs
        contents |= {path: text.encode() for path, text in done.generated.items()}
        for path, data in contents.items():
            place = tmp_path / "tree" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        return tmp_path / "tree"

    return written


@pytest.fixture
def hipcc(sysroot: Sysroot, tmp_path: Path) -> Path:
    """Return a compiler of HIP as ROCm has it: clang that knows its tree."""
    path = tmp_path / "hipcc"
    path.write_text(f'#!/bin/sh\nexec clang++-19 --rocm-path={sysroot.path} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def rocm_environment(sysroot: Sysroot, hipcc: Path) -> dict[str, str]:
    """Return an environment in which ROCm is what a build finds."""
    gone = {variable for platform in PLATFORMS for variable in platform.variables}
    kept = {name: value for name, value in os.environ.items() if name not in gone}
    chosen = {"GPU_PLATFORM": "rocm", "ROCM_PATH": str(sysroot.path), "HIPCC": str(hipcc)}
    return {**kept, **chosen, "CXX": "clang++-19"}
