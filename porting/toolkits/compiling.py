"""Run the compiler while a tree is built: its output, or one clear error."""

import errno
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from porting.errors import ToolchainError

_TIMEOUT = 300
_FULL_DISK = "No space left on device"
_LITTLE = 1 << 20


def run_compiler(command: Sequence[str | Path], text: str, output: Path) -> str:
    """Return what `command` prints, given `text` on its standard input, on its way to `output`.

    Raises ToolchainError with the compiler's first error; OSError when the disk is full, which
    clang reports as a crash and lld, which maps its output, not at all.
    """
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=_TIMEOUT, check=False
    )
    if done.returncode == 0:
        return done.stdout
    if _FULL_DISK in done.stderr or shutil.disk_usage(output.parent).free < _LITTLE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
    reason = lines[0] if lines else done.stderr.strip()[-400:] or f"exit code {done.returncode}"
    raise ToolchainError(f"{command[0]} cannot make {output.name}: {reason}")
