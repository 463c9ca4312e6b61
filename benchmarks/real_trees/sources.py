"""Which files of a tree a unit was made of: while they are the same, so is its preprocessed text.

Preprocessing every unit again takes a quarter of the time of a run, and most trees do not change
between two runs.  A file that is new and comes first in an include folder is not noticed.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

_MARKER: Final = re.compile(rb'^# \d+ "([^"<]+)"', re.MULTILINE)
_KEPT: Final = 8


@dataclass(frozen=True)
class Sources:
    """What is known of units: digests of the tree's files, and what came of them.

    `system`: folders of headers of others; all that is in them is part of what is known.
    """

    folder: Path
    system: tuple[Path, ...]

    @cached_property
    def _environment(self) -> str:
        digest = hashlib.sha256()
        for folder in self.system:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                digest.update(f"{path.relative_to(folder)} {path.stat().st_size}\n".encode())
        return digest.hexdigest()

    def find(self, root: Path, unit: str, flags: Iterable[str]) -> dict[str, str] | None:
        """Return what was kept of a unit whose files are all as they were, or None."""
        digests: dict[str, str] = {}
        for entry in self._entries(unit, flags):
            files: dict[str, str] = entry["files"]
            for path in files.keys() - digests.keys():
                digests[path] = _digest(root / path)
            if all(digests[path] == digest for path, digest in files.items()):
                known: dict[str, str] = entry["known"]
                return known
        return None

    def keep(
        self, root: Path, unit: str, flags: Iterable[str], text: bytes, known: dict[str, str]
    ) -> None:
        """Keep what is known of a unit with this preprocessed text, as far as there is one."""
        place = self._place(unit, flags)
        files = {path: _digest(root / path) for path in _own_files(root, unit, text)}
        entries = [{"files": files, "known": known}, *self._entries(unit, flags)][:_KEPT]
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=".new-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(entries, file)
        Path(name).rename(place)

    def _entries(self, unit: str, flags: Iterable[str]) -> list[dict[str, Any]]:
        try:
            found: list[dict[str, Any]] = json.loads(self._place(unit, flags).read_text("utf-8"))
        except FileNotFoundError:
            return []
        return found

    def _place(self, unit: str, flags: Iterable[str]) -> Path:
        text = "\0".join((self._environment, unit, *flags))
        return self.folder / hashlib.sha256(text.encode()).hexdigest()


def _own_files(root: Path, unit: str, text: bytes) -> set[str]:
    """Return the files of the tree in a preprocessed text, relative to its root."""
    names = {unit, *(match.decode() for match in set(_MARKER.findall(text)))}
    paths = (os.path.normpath(root / name) for name in names)
    return {os.path.relpath(path, root) for path in paths if Path(path).is_relative_to(root)}


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
