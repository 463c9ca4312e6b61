"""Write ported sources over the input: only where git can bring the input back."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from porting.errors import UsageError
from porting.hipify import Hipified
from porting.output.replacing import replace_files
from porting.tree import stat_input

_TIMEOUT = 120.0


def check_clean(source: Path) -> None:
    """Raise UsageError when the git work tree around `source` has uncommitted changes.

    Untracked files count: what was never committed cannot be brought back.  Without a work tree
    there is nothing to check.
    """
    stat_input(source)
    folder = source if source.is_dir() else source.parent
    if not _in_git(folder):
        return
    changes = _git(folder, "status", "--porcelain", "--untracked-files=normal")
    if changes:
        first = changes.splitlines()[0][3:]
        raise UsageError(
            f"{source} is in a git tree with uncommitted changes ({first}); "
            "commit or stash them, so that the port can be undone"
        )


def write_in_place(source: Path, hipified: Sequence[Hipified]) -> None:
    """Replace every changed file of the input, all or none, keeping the mode bits.

    Raises UsageError when one is ignored by the git tree around it, OutputError when one cannot be
    written.
    """
    real = source.resolve()
    root = real if real.is_dir() else real.parent
    changed = [done for done in hipified if done.changed]
    names = [done.source.path if real.is_dir() else real.name for done in changed]
    if _in_git(root):
        known = set(_git(root, "ls-files", "-z").split("\0"))
        for name in names:
            if name not in known:
                raise UsageError(
                    f"{root / name} is a file that git does not know, so its port could not be "
                    "undone; nothing was written; commit it, or exclude it in [tool.porting]"
                )
    files = {root / name: done.data for name, done in zip(names, changed, strict=True)}
    if files:
        replace_files(files, {path: path.stat().st_mode & 0o777 for path in files})


def _in_git(folder: Path) -> bool:
    real = folder.resolve()
    return any((above / ".git").exists() for above in (real, *real.parents))


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ("git", "-C", folder, *arguments),  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=_TIMEOUT,
            check=False,
        )
    except FileNotFoundError as error:
        raise UsageError(
            f"{folder} is in a git tree and git is not on PATH, so nobody can say whether it is "
            "clean; install git or use -o OUT"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"git did not say in {_TIMEOUT:.0f} s whether {folder} is clean; use -o OUT instead"
        ) from error
    if done.returncode:
        why = done.stderr.strip().splitlines()
        raise UsageError(
            f"git cannot say whether {folder} is clean: {why[0] if why else done.returncode}; "
            "use -o OUT instead"
        )
    return done.stdout
