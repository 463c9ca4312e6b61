"""A source file as bytes that survive unchanged, with offsets, lines and columns."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, count
from operator import add
from typing import NamedTuple

UTF8_BOM = b"\xef\xbb\xbf"
C_SUFFIXES = frozenset(
    (
        *(".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".cuh", ".hu", ".hip"),
        *(".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tpp", ".impl", ".def"),
    )
)
CUDA_SUFFIXES = frozenset((".cu", ".cuh", ".hu"))


class Position(NamedTuple):
    """A place as people count it: line and column from 1; columns count characters."""

    line: int
    column: int


@dataclass(frozen=True)
class SourceFile:
    """One file of the input tree.

    `text` is the bytes decoded as Latin-1, so one character is one byte, every offset is a byte
    offset, and encoding it again gives the same bytes whatever the file's real encoding is.
    """

    path: str
    data: bytes

    @cached_property
    def text(self) -> str:
        """The bytes, one character each."""
        return self.data.decode("latin-1")

    @cached_property
    def suffix(self) -> str:
        """The last suffix, lower case, with its dot."""
        name = self.path[self.path.rfind("/") + 1 :]
        dot = name.rfind(".")
        return name[dot:].lower() if 0 < dot < len(name) - 1 else ""

    @property
    def is_cuda(self) -> bool:
        """Whether the suffix is one that only CUDA's sources and headers have."""
        return self.suffix in CUDA_SUFFIXES

    @property
    def is_binary(self) -> bool:
        """Whether a NUL byte says that this is no text (UTF-16 text counts as binary too)."""
        return b"\0" in self.data[:65536]

    @property
    def line_count(self) -> int:
        """Number of lines; what follows the last line end is one unless it is empty."""
        return self.data.count(b"\n") + (bool(self.data) and not self.data.endswith(b"\n"))

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first byte of every line."""
        lines = self.text.split("\n")
        del lines[-1]  # a line starts behind every line end, even where no text follows
        return list(map(add, accumulate(map(len, lines), initial=0), count()))

    @cached_property
    def newline(self) -> str:
        r"""The line end this file uses: that of its first line, "\n" when it has only one line."""
        at = self.text.find("\n")
        if at < 0 and "\r" in self.text:
            return "\r"
        return "\r\n" if at > 0 and self.text[at - 1] == "\r" else "\n"

    def line_of(self, offset: int) -> int:
        """Return the line (from 1) that holds a byte offset."""
        return bisect_right(self.line_starts, offset)

    def line_text(self, line: int) -> str:
        """Return a line (from 1) without its line end."""
        start = self.line_starts[line - 1]
        after = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:after].rstrip("\r\n")

    def position(self, offset: int) -> Position:
        """Return line and column of a byte offset; a byte order mark takes no column."""
        line = self.line_of(offset)
        before = self.data[self.line_starts[line - 1] : offset]
        if line == 1:
            before = before.removeprefix(UTF8_BOM)
        try:
            column = len(before.decode("utf-8")) + 1
        except UnicodeDecodeError:
            column = len(before) + 1
        return Position(line, column)
