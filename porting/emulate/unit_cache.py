"""Objects of units that were compiled before, and whether they still are what would be made.

A unit's entry is found by its command.  It holds when every file that was read is as it was.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from porting.emulate.toolkits import INCLUDE
from porting.toolkits.cachedir import cache_root


@dataclass(frozen=True)
class Place:
    """Where a unit's object is kept, and the record of what it was made of."""

    object: Path

    @property
    def record(self) -> Path:
        """The digests of the files that were read."""
        return self.object.with_suffix(".json")

    def is_valid(self) -> bool:
        """Whether the object is there and made of what the files hold now."""
        try:
            known = json.loads(self.record.read_text())
            return self.object.is_file() and all(
                digest_of_file(path) == digest for path, digest in known.items()
            )
        except (OSError, ValueError, AttributeError):
            return False

    def keep(self, made: Path, read: Sequence[str], begun: int) -> None:
        """Move an object here, with the digests of what it was made of.

        `begun`: nanoseconds of the clock before anything was read.  What was saved since then may
        be older in the object than on the disk: it is made again when it is next asked for.
        """
        is_known = all(Path(path).stat().st_mtime_ns < begun for path in read)
        digests = {path: digest_of_file(path) for path in read}
        beside = made.with_suffix(".record")
        beside.write_text(json.dumps(digests))
        self.record.unlink(missing_ok=True)  # no record, no entry, until both are there
        made.replace(self.object)
        if is_known:
            beside.replace(self.record)
        else:
            beside.unlink()


def place_of(command: Sequence[str], label: str, made_by: str) -> Place:
    """Return the place for what a command makes; `label` starts its name.

    `made_by`: a digest of what else decides about the object.
    """
    digest = hashlib.sha256("\0".join([*command, made_by]).encode()).hexdigest()[:24]
    folder = cache_root() / "emulate" / "objects"
    folder.mkdir(parents=True, exist_ok=True)
    return Place(folder / f"{label}-{digest}.o")


def dependencies(path: Path) -> list[str]:
    """Return the files that a compiler's dependency file lists."""
    text = path.read_text().replace("\\\n", " ")
    _, _, listed = text.partition(":")
    spaces = listed.replace("\\ ", "\0").split()
    return [name.replace("\0", " ") for name in spaces]


@cache
def own_digest() -> str:
    """Return a digest of what makes units ours: this package's Python and headers."""
    files = [*INCLUDE.parent.rglob("*.py"), *(p for p in INCLUDE.rglob("*") if p.is_file())]
    texts = (digest_of_file(str(path)) for path in sorted(files))
    return hashlib.sha256("".join(texts).encode()).hexdigest()


_known: dict[tuple[str, int, int], str] = {}


def digest_of_file(path: str) -> str:
    """Return a digest of a file's content.  Raises OSError."""
    state = Path(path).stat()
    key = (path, state.st_mtime_ns, state.st_size)
    if key not in _known:
        _known[key] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return _known[key]


def merged(digests: Mapping[str, str]) -> str:
    """Return one digest of many."""
    text = "\n".join(f"{name} {digests[name]}" for name in sorted(digests))
    return hashlib.sha256(text.encode()).hexdigest()
