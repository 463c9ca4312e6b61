"""Headers that many units begin with, compiled once: torch's take most of the time of a unit.

A unit gets a precompiled header only when its preprocessed text begins with the very text of that
header, so clang reads the same program, only faster.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Final

# Bytes of preprocessed text from which on a header is worth it.
_HEAVY: Final = 1_000_000
_MARKER: Final = re.compile(rb'# \d+ "([^"]*)"((?: \d)*)$')
_ENTERED, _LEFT = b"1", b"2"
_NOTHING: Final = (b"", b"#pragma once")


@dataclass(frozen=True)
class Prefix:
    """The headers of others that a unit begins with, and a digest of their preprocessed text."""

    headers: tuple[str, ...] = ()
    digest: str = ""


def prefix_of(data: bytes, root: str) -> Prefix:
    """Return the beginning of a preprocessed unit, up to the first heavy header.

    It is empty when code of the tree comes before such a header.  Relative paths and files under
    `root` are the tree's.  Only headers that files of the tree include count, not those that the
    compiler includes itself.
    """
    own = root.encode()
    stack: list[bytes] = []
    headers: list[str] = []
    size = 0
    digest = hashlib.sha256()
    for line in data.splitlines():
        if match := _MARKER.match(line):
            name, flags = match[1], match[2].split()
            if _LEFT in flags:
                stack.pop()
                if headers and size >= _HEAVY and _is_own(stack[-1], own):
                    return Prefix(tuple(headers), digest.hexdigest())
            elif _ENTERED in flags or not stack:
                if stack and _is_own(stack[-1], own) and name.startswith(b"/"):
                    headers += [name.decode()] if not _is_own(name, own) else []
                    size = 0
                stack.append(name)
        elif line.strip() not in _NOTHING:
            if stack and _is_own(stack[-1], own):
                return Prefix()
            size += len(line)
            digest.update(line + b"\n")
    return Prefix()


def _is_own(name: bytes, root: bytes) -> bool:
    return not name.startswith((b"/", b"<")) or name.startswith(root)
