"""What tests of the Rust side share: a crate as sources, compilers, a fake HIP library."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.config import Target
from porting.headers.rust import Shim, generate
from porting.mapping import Names
from porting.source import SourceFile

MANIFEST = '[package]\nname = "wave-sys"\nversion = "0.1.0"\nedition = "2021"\n'
CrateMaker = Callable[..., list[SourceFile]]
ShimMaker = Callable[..., Shim]


@pytest.fixture(scope="session")
def names() -> Names:
    return Names.load("7.1")


@pytest.fixture
def crate() -> CrateMaker:
    """Return a maker of a crate's sources: its library, and more files by path."""

    def make(library: str, **more: str) -> list[SourceFile]:
        files = {"Cargo.toml": MANIFEST, "src/lib.rs": library}
        files |= {{"manifest": "Cargo.toml", "script": "build.rs"}[k]: v for k, v in more.items()}
        return [SourceFile(path, text.encode()) for path, text in sorted(files.items())]

    return make


@pytest.fixture
def shim(crate: CrateMaker, names: Names) -> ShimMaker:
    """Return a maker of the Rust files for a crate."""

    def make(library: str, **more: str) -> Shim:
        return generate(crate(library, **more), Target(), names)

    return make


def run(*command: str | Path, **options: object) -> str:
    """Run a program that must succeed and return what it said."""
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    assert done.returncode == 0, done.stdout
    return str(done.stdout)
