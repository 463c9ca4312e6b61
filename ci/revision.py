"""Which sources a checkout has."""

import hashlib
import subprocess
from pathlib import Path

_SECONDS = 60
# The same words on every machine, whatever its configuration of git says.
_DIFF = (
    *("-c", "color.ui=false", "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false"),
    *("diff", "--no-ext-diff", "--no-textconv", "--binary", "--full-index", "HEAD"),
)


def revision(root: Path) -> str:
    """Return the commit of a checkout, and a digest of what tracked files differ by, if any.

    Empty where git does not tell, or the folder is no checkout of its own.
    """
    try:
        top = _git(root, "rev-parse", "--show-toplevel").decode().strip()
        if not top or Path(top).resolve() != root.resolve():
            return ""
        commit = _git(root, "rev-parse", "HEAD").decode().strip()
        changes = _git(root, *_DIFF)
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"{commit}+{hashlib.sha256(changes).hexdigest()[:12]}" if changes else commit


def _git(root: Path, *words: str) -> bytes:
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS).stdout
