"""Fixtures of the reader's tests: real files, made by the system's compiler and linker."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Compile = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Compile:
    """Return a function that compiles C or assembly text to `tmp_path/name` with gcc's flags."""

    def compile_text(name: str, text: str, *flags: str | Path, suffix: str = ".c") -> Path:
        source = tmp_path / f"{name}{suffix}"
        source.write_text(text)
        output = tmp_path / name
        subprocess.run(
            ["gcc", "-w", "-o", output, source, *map(str, flags)], check=True, timeout=50
        )
        return output

    return compile_text
