"""HIP names that a tree defines as macros for functions of its own, which take other arguments."""

import re
from collections.abc import Iterator
from typing import Final

from porting.mapping import Names
from porting.rules.api.changes import Change, Rename
from porting.rules.project import Project

# A name of CUDA or HIP behind it is the library's function under another name.
_REDIRECT: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(hip\w+)(?:\([^)\n]*\))?[ \t]+(?!cu|hip|roc)[A-Za-z_]",
    re.MULTILINE,
)


def redirected_in(text: str) -> Iterator[str]:
    """Yield the HIP names that a text makes stand for something of the tree's."""
    if "hip" in text:
        yield from (match[1] for match in _REDIRECT.finditer(text))


def applicable(
    changes: tuple[Change, ...], name: str, names: Names, project: Project
) -> tuple[Change, ...]:
    """Return which changes a call of a CUDA function needs.

    All; or the new name alone where the tree sends that name to a function of its own, which was
    written for the arguments as they are.
    """
    if not project.redirected:
        return changes
    renames = tuple(change for change in changes if isinstance(change, Rename))
    record = names.get(name)
    target = renames[-1].target if renames else record and record.target
    return renames if target in project.redirected else changes
