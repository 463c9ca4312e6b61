"""Path patterns of the configuration: globs as .gitignore reads them."""

import re
from collections.abc import Iterable
from functools import lru_cache


class PathPatterns:
    """A set of patterns; `match` says whether one of them names a path or a folder above it.

    `*` and `?` stay inside one name, `**` spans folders.  A pattern without a slash names files
    and folders at any depth; one with a slash starts at the root.  A slash at the end says nothing
    more, since a folder's contents go with it; `/**` at the end names the contents alone.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(patterns)
        self._regex = (
            re.compile("|".join(map(_translate, self.patterns))) if self.patterns else None
        )

    def match(self, path: str) -> bool:
        """Whether a relative posix path is named."""
        return self._regex is not None and self._regex.match(path) is not None


@lru_cache(maxsize=256)
def _translate(pattern: str) -> str:
    names = pattern.strip("/").split("/")
    anchored = "/" in pattern.rstrip("/")
    start = "" if anchored else r"(?:.*/)?"
    if names[-1] == "**":
        return start + "".join(map(_name, names[:-1])) + "."
    return start + "".join(map(_name, names)).removesuffix("/") + r"(?:/|\Z)"


def _name(part: str) -> str:
    """Return the regular expression of one name, with the slash after it."""
    if part == "**":
        return r"(?:[^/]+/)*"
    glob = re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return glob + "/"
