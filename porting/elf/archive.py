"""Static archives: their members, in the formats of GNU ar (also thin) and BSD.

Source: ar(5) of the BSDs; binutils' documentation of thin archives.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from porting.elf.view import View

MAGIC: Final = b"!<arch>\n"
THIN: Final = b"!<thin>\n"
_HEADER: Final = 60
_END: Final = b"`\n"
# Of an archive in a thin one: the place of its name, and of the member's header in it.
_NESTED: Final = re.compile(r"/\d+:\d+")
_INDEXES: Final = frozenset(("/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64"))


def is_archive(view: View) -> bool:
    """Whether a file begins as an archive does."""
    return view.begins(MAGIC) or view.begins(THIN)


@dataclass(frozen=True, slots=True)
class Member:
    """One member; `content` is None in a thin archive: it is a file, whose path `name` is.

    That path starts in the archive's folder.  `header`: where it begins in that file, if that is
    an archive itself; 0 when it is the file.
    """

    name: str
    content: View | None
    header: int = 0


def members(view: View) -> Iterator[Member]:
    """Yield every member but the indexes.  Raises ElfError."""
    thin = view.begins(THIN)
    for entry in _entries(view, thin=thin):
        if thin:
            yield Member(entry.name, None, entry.nested)
        else:
            shown = f"{view.name}({entry.name})"
            content = view.part(entry.start, entry.size, f"member {entry.name}", shown)
            yield Member(entry.name, content)


def member_at(view: View, header: int) -> Member:
    """Return the member of an archive whose header stands there.  Raises ElfError."""
    if view.begins(MAGIC):
        for entry in _entries(view, thin=False):
            if entry.header == header:
                return Member(entry.name, view.part(entry.start, entry.size, "a member"))
    raise view.damaged(f"no archive member begins at {header:#x}, as a thin archive says")


class _Entry(NamedTuple):
    """Where a member is: its header, its content; `nested`: what a thin archive says of that."""

    name: str
    header: int
    start: int
    size: int
    nested: int


def _entries(view: View, *, thin: bool) -> Iterator[_Entry]:
    names = b""
    offset = len(MAGIC)
    while offset < view.size:
        name, size = _header(view, offset)
        start = offset + _HEADER
        if name == "//":
            names = view.copy(start, size, "the archive's long names")
        elif name not in _INDEXES:
            name, _, nested = name.partition(":") if _NESTED.fullmatch(name) else (name, "", "0")
            full, skipped = _full_name(view, name, names, start, size)
            yield _Entry(full, offset, start + skipped, size - skipped, int(nested))
            if thin:
                size = 0  # what the header tells is the file's
        offset = start + size + size % 2


def _header(view: View, offset: int) -> tuple[str, int]:
    header = view.copy(offset, _HEADER, "the header of a member")
    size = header[48:58].strip()
    if header[58:] != _END or not size.isdigit():
        raise view.damaged(f"no archive member begins at {offset:#x}")
    return header[:16].decode("latin-1").rstrip(), int(size)


def _full_name(view: View, name: str, names: bytes, offset: int, size: int) -> tuple[str, int]:
    """Return a member's whole name, and how many bytes of its content hold it (BSD)."""
    if name.startswith("#1/") and name[3:].isdigit():
        length = int(name[3:])
        if length > size:
            raise view.damaged(f"the name of the member at {offset:#x} is longer than the member")
        raw = view.copy(offset, length, "the name of a member")
        return raw.rstrip(b"\0").decode("utf-8", "surrogateescape"), length
    if name.startswith("/") and name[1:].isdigit():
        start = int(name[1:])
        end = names.find(b"\n", start)
        if start >= len(names) or end < 0:
            raise view.damaged(f"the archive has no long name at {start}")
        return names[start:end].rstrip(b"/").decode("utf-8", "surrogateescape"), 0
    return name.rstrip("/"), 0
