"""What is said when the compiler cannot make a part of a tree."""

import errno
from pathlib import Path

import pytest

from porting.errors import ToolchainError
from porting.toolkits.compiling import run_compiler


def shell(script: str) -> list[str]:
    """Return the command of a stand-in for the compiler."""
    return ["sh", "-c", script]


def test_compiler_when_it_works() -> None:
    assert run_compiler(shell("cat; echo noise >&2"), "text", Path("x.bc")) == "text"


def test_compiler_when_it_refuses() -> None:
    script = "echo 'x.c:1: note: before' >&2; echo 'x.c:2: error: no' >&2; exit 1"
    with pytest.raises(ToolchainError, match=r"^sh cannot make x\.bc: x\.c:2: error: no$"):
        run_compiler(shell(script), "", Path("x.bc"))


def test_compiler_when_it_says_nothing() -> None:
    with pytest.raises(ToolchainError, match=r"^sh cannot make x\.bc: exit code 3$"):
        run_compiler(shell("exit 3"), "", Path("x.bc"))


def test_compiler_when_the_disk_is_full() -> None:
    """Clang calls it a crash and prints a stack."""
    with pytest.raises(OSError, match="No space left on device") as caught:
        run_compiler(shell("echo text | cat > /dev/full"), "", Path("x.bc"))
    assert caught.value.errno == errno.ENOSPC
