"""The record that a port leaves in its output, by which the next port may replace it."""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from porting.config import Mode, Target
from porting.errors import ConfigError, OutputError, reason
from porting.output.linemap import LineMap
from porting.tree import MANIFEST_NAME

_FORMAT = 1


@dataclass(frozen=True)
class Manifest:
    """Digest of a path -> digest of what was written there, and -> where its lines came from.

    Paths are kept as digests, so that a search of the output for a CUDA name never finds them here;
    the record says nothing of time or place, so the same port writes the same bytes.  `target`:
    what the output is for; None in a record from before it was kept.  `mode`: how it was made.
    """

    files: Mapping[str, str]
    lines: Mapping[str, LineMap] = field(default_factory=dict)
    target: Target | None = None
    mode: Mode = Mode.RENAME

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Return the manifest of an output, None where there is none that this release knows."""
        try:
            record = json.loads((folder / MANIFEST_NAME).read_bytes())
        except (OSError, ValueError):
            return None
        try:
            if record["format"] != _FORMAT:
                return None
            steps = {key: tuple(map(tuple, value)) for key, value in record["lines"].items()}
            lines = {key: LineMap(value) for key, value in steps.items()}
            mode = Mode(record.get("mode", Mode.RENAME))
            return cls(dict(record["files"]), lines, _target(record.get("target")), mode)
        except (KeyError, TypeError, ValueError, AttributeError, ConfigError):
            return None

    def to_bytes(self) -> bytes:
        """Return the text of the manifest's file."""
        about = "written by `porting`: lets the next port replace this folder"
        record = {
            "about": about,
            "format": _FORMAT,
            "mode": self.mode.value,
            "target": self.target
            and {
                "rocm": self.target.rocm,
                "archs": self.target.archs,
                "hipify_launches": self.target.hipify_launches,
            },
            "files": dict(sorted(self.files.items())),
            "lines": {key: lines.steps for key, lines in sorted(self.lines.items())},
        }
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"

    def knows(self, path: str) -> bool:
        """Whether a port wrote this path."""
        return path_digest(path) in self.files

    def origin(self, path: str, line: int) -> tuple[str, int]:
        """Return where in the input a line of the output came from."""
        return path, self.lines.get(path_digest(path), LineMap()).origin(line)

    def is_as_written(self, folder: Path, path: str) -> bool:
        """Whether a path still holds what the port wrote there."""
        return self.files.get(path_digest(path)) == file_digest(folder / path)


def _target(record: Mapping[str, Any] | None) -> Target | None:
    if record is None:
        return None
    return Target(record["rocm"], tuple(record["archs"]), record["hipify_launches"])


def path_digest(path: str) -> str:
    """Return the key of a path in the manifest."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:32]


def file_digest(path: Path) -> str:
    """Return the digest of the bytes of a file or the text of a link.  Raises OutputError."""
    try:
        if stat.S_ISLNK(path.lstat().st_mode):
            return "link:" + hashlib.sha256(os.fsencode(path.readlink())).hexdigest()[:32]
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise OutputError(
            f"{path}, written by an earlier port, cannot be read: {reason(error)}; "
            "make it readable, or choose another output"
        ) from error
