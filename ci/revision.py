"""Which sources a checkout has."""

import hashlib
import subprocess
from pathlib import Path

_SECONDS = 60


def revision(root: Path) -> str:
    """Return the commit of a checkout, and a digest of what tracked files differ by, if any.

    Empty where git is missing or the folder is no checkout of its own.
    """
    top = _git(root, "rev-parse", "--show-toplevel").decode().strip()
    if not top or Path(top).resolve() != root.resolve():
        return ""
    commit = _git(root, "rev-parse", "HEAD").decode().strip()
    changes = _git(root, "diff", "HEAD", "--binary")
    return f"{commit}+{hashlib.sha256(changes).hexdigest()[:12]}" if changes else commit


def _git(root: Path, *words: str) -> bytes:
    try:
        command = ["git", "-C", str(root), *words]
        done = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return b"" if done.returncode else done.stdout
