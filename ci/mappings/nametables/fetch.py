"""Download the pinned wheels with pip and keep their headers and stubs in a cache folder."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nametables.sources import Wheel

_PLATFORMS: tuple[str, ...] = (
    "manylinux2014_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux_2_27_x86_64",
)
_PLATFORMS += ("manylinux_2_28_x86_64", "manylinux1_x86_64", "linux_x86_64")


class FetchError(Exception):
    """A pinned wheel could not be had, or is not the one that was pinned."""


def default_cache() -> Path:
    """Return the cache folder: $ECLOSION_NAMES_CACHE, else one under the user's cache folder."""
    named = os.environ.get("ECLOSION_NAMES_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "eclosion" / "names"


def fetch(wheels: Iterable[Wheel], cache: Path) -> dict[str, Path]:
    """Make every wheel's kept files present under the cache; return folder name -> path.

    A folder that is already there is taken as it is: it only gets its name once it is complete.
    """
    cache.mkdir(parents=True, exist_ok=True)
    have: dict[str, Path] = {}
    for wheel in wheels:
        target = cache / wheel.folder
        if not target.is_dir():
            _download_into(wheel, target)
        have[wheel.folder] = target
    return have


def digest(folder: Path) -> str:
    """Return the SHA-256 over the relative names and contents of a folder's files."""
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return total.hexdigest()


def verify(wheel: Wheel, folder: Path) -> None:
    """Raise FetchError when a folder's files are not the pinned ones."""
    found = digest(folder)
    if found != wheel.digest:
        raise FetchError(
            f"{wheel.folder}: the extracted files have digest {found}, sources.toml pins "
            f"{wheel.digest or 'none'}; delete {folder} and run again, or pin the new digest with "
            "generate.py --pin"
        )


def _download_into(wheel: Wheel, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        archive = _download(wheel, Path(scratch))
        unpacked = Path(scratch) / "files"
        _extract(archive, wheel.keep, unpacked)
        if not unpacked.is_dir():
            raise FetchError(
                f"{archive.name} holds no file that matches {', '.join(wheel.keep)}; "
                "correct the `keep` line of this wheel in sources.toml"
            )
        shutil.move(unpacked, target)


def _download(wheel: Wheel, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--only-binary=:all:", "--python-version=3.11"]
    command += [f"--platform={name}" for name in _PLATFORMS]
    command += ["--dest", str(folder), f"{wheel.name}=={wheel.version}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    found = sorted(folder.glob("*.whl"))
    if run.returncode or not found:
        last = (run.stderr.strip().splitlines() or ["no output"])[-1]
        raise FetchError(
            f"pip could not download {wheel.name}=={wheel.version}: {last}; the tables need every "
            "wheel of sources.toml, so check the network or pin a version that the index has"
        )
    return found[0]


def _extract(archive: Path, keep: tuple[str, ...], folder: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        for info in wheel.infolist():
            wanted = any(fnmatch.fnmatchcase(info.filename, pattern) for pattern in keep)
            if info.is_dir() or not wanted or ".." in Path(info.filename).parts:
                continue
            path = folder / info.filename
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wheel.read(info))
