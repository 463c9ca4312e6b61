"""The pinned wheels that the tables are read from: `sources.toml` as values."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Wheel:
    """One pinned wheel and the files of it that are kept.

    role: cuda, rocm-headers, rocm-stubs, interop or torch; release: the toolkit or ROCm release
    it stands for; digest: over the kept files' names and contents.
    """

    name: str
    version: str
    role: str
    release: str
    keep: tuple[str, ...]
    digest: str

    @property
    def folder(self) -> str:
        """Return the name of the folder its files are extracted to."""
        return f"{self.name}-{self.version}"


def load(path: Path) -> tuple[Wheel, ...]:
    """Read the list of wheels, in the file's order."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Wheel(
            row["name"],
            row["version"],
            row["role"],
            row["release"],
            tuple(row["keep"]),
            row["digest"],
        )
        for row in table["wheel"]
    )


def with_digests(text: str, digests: dict[str, str]) -> str:
    """Return the text of `sources.toml` with the digest line of each wheel filled in."""
    lines: list[str] = []
    name = version = ""
    for line in text.splitlines():
        key, _, value = line.partition(" = ")
        if key == "name":
            name = value.strip('"')
        elif key == "version":
            version = value.strip('"')
        elif key == "digest":
            lines.append(f'digest = "{digests[f"{name}-{version}"]}"')
            continue
        lines.append(line)
    return "\n".join(lines) + "\n"
