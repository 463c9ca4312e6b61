"""Device code that gives CUDA's functions their meaning: sections of C++ files kept as data."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

_FILES: Final = ("loading.h", "warp.h", "memory.h", "intrinsics.h", "narrow_floats.h")
_FOR_HOST: Final = ("narrow_floats.h",)
_HEADING: Final = re.compile(r"^//@ (\w+)(?: needs ((?:\w+ ?)+))?\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Part:
    """One section: the CUDA name or helper it defines, what it needs, and its text.

    `for_host`: files that only the host's compiler reads have it too.
    """

    name: str
    needs: tuple[str, ...]
    text: str
    for_host: bool = False


def part_names() -> frozenset[str]:
    """Return the CUDA names that sections define."""
    return frozenset(name for name in _parts() if not name.startswith("eclosion_"))


def parts_for(names: Iterable[str]) -> tuple[Part, ...]:
    """Return the sections that define some names and what they need, in the order of the files."""
    known = _parts()
    wanted: set[str] = set()
    waiting = [name for name in names if name in known]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += known[name].needs
    return tuple(part for name, part in known.items() if name in wanted)


@cache
def _parts() -> dict[str, Part]:
    folder = resources.files("porting.headers") / "parts"
    found: dict[str, Part] = {}
    for file in _FILES:
        text = (folder / file).read_text(encoding="utf-8")
        headings = list(_HEADING.finditer(text))
        ends = [heading.start() for heading in headings[1:]] + [len(text)]
        for heading, end in zip(headings, ends, strict=True):
            needs = tuple((heading[2] or "").split())
            section = text[heading.end() : end].strip() + "\n"
            found[heading[1]] = Part(heading[1], needs, section, file in _FOR_HOST)
    return found
