"""Tell whether the tables are what the generator wrote, without running it.

The seal holds two digests: of what a run reads besides the wheels (the pins, the curated facts, the
generator's own code), and of what it wrote.  A table edited by hand, or a fact changed without a
run, breaks it; white space does not.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def seal(here: Path, tables: Path) -> dict[str, str]:
    """Return both digests of a generator folder and its tables."""
    inputs = [*here.glob("*.toml"), *(here / "curated").glob("*.toml")]
    scripts = [here / "generate.py", *(here / "nametables").glob("*.py")]
    read = [
        (path.relative_to(here).as_posix(), "".join(path.read_text(encoding="utf-8").split()))
        for path in [*inputs, *scripts]
    ]
    written = [(path.name, path.read_text(encoding="utf-8")) for path in tables.glob("*.tsv")]
    return {"inputs": _digest(read), "tables": _digest(written)}


def write(path: Path, here: Path, tables: Path) -> None:
    """Write the seal file."""
    path.write_text(json.dumps(seal(here, tables), indent=2) + "\n", encoding="utf-8")


def broken(path: Path, here: Path, tables: Path) -> list[str]:
    """Return which parts no longer are what the seal says: `inputs`, `tables` or both."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    now = seal(here, tables)
    return [part for part, digest in now.items() if kept.get(part) != digest]


def _digest(files: list[tuple[str, str]]) -> str:
    total = hashlib.sha256()
    for name, text in sorted(files):
        total.update(f"{name}\0{hashlib.sha256(text.encode()).hexdigest()}\n".encode())
    return total.hexdigest()
