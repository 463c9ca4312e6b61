"""Static archives: their members, in the formats of GNU ar (also thin) and BSD.

Source: ar(5) of the BSDs; binutils' documentation of thin archives.
"""

from collections.abc import Iterator
from typing import Final

from porting.elf.view import View

MAGIC: Final = b"!<arch>\n"
THIN: Final = b"!<thin>\n"
_HEADER: Final = 60
_END: Final = b"`\n"
_INDEXES: Final = frozenset(("/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64"))


def is_archive(view: View) -> bool:
    """Whether a file begins as an archive does."""
    return view.begins(MAGIC) or view.begins(THIN)


def members(view: View) -> Iterator[tuple[str, View | None]]:
    """Yield the name and content of every member; None for a thin archive's, which is a file.

    The name of a thin archive's member is a path from the archive's folder.  Raises ElfError.
    """
    thin = view.begins(THIN)
    names = b""
    offset = len(MAGIC)
    while offset < view.size:
        name, size = _header(view, offset)
        offset += _HEADER
        if name == "//":
            names = view.copy(offset, size, "the archive's long names")
        elif name not in _INDEXES:
            full, skipped = _full_name(view, name, names, offset, size)
            if thin:
                yield full, None
                continue
            shown = f"{view.name}({full})"
            yield full, view.part(offset + skipped, size - skipped, f"member {full}", shown)
        offset += size + size % 2


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
