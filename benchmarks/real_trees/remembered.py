"""What clang said of texts that it saw before: kept in the cache, since it says the same again.

The key is the preprocessed text, with what else decides: clang's version and the flags.  So only
units are compiled whose conversion, or whose headers, changed since the last run.
"""

import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """How a compilation ended: the header it lacked, its first error; both empty: it passed."""

    missing: str = ""
    error: str = ""

    @property
    def passed(self) -> bool:
        """Whether clang accepted the unit."""
        return not self.missing and not self.error


@dataclass(frozen=True)
class Remembered:
    """Outcomes in a folder, one file each."""

    folder: Path
    clang: str

    @cached_property
    def _version(self) -> bytes:
        done = subprocess.run([self.clang, "--version"], capture_output=True, check=True)
        return done.stdout

    def key(self, text: bytes, flags: Iterable[str]) -> str:
        """Return the name of a compilation: a digest of all that decides how it ends."""
        digest = hashlib.sha256(self._version)
        digest.update("\0".join(flags).encode() + b"\0")
        digest.update(text)
        return digest.hexdigest()

    def get(self, key: str) -> Outcome | None:
        """Return how the compilation ended, None when it is not known."""
        try:
            return Outcome(**json.loads((self.folder / key).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome; processes may write the same one at a time."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=".new-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(outcome), file)
        Path(name).rename(self.folder / key)
