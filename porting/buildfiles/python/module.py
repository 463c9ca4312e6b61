"""A Python file as a tree whose nodes know their exact bytes."""

import ast
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import NamedTuple

from porting.source import UTF8_BOM, SourceFile

# Python's own lines: a form feed or \x85 ends none.
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


class Span(NamedTuple):
    """A range of byte offsets."""

    start: int
    end: int


@dataclass(frozen=True)
class PythonModule:
    """A parsed file.  Raises SyntaxError, from `parse`, for what this Python cannot read."""

    source: SourceFile
    tree: ast.Module
    encoding: str

    @classmethod
    def parse(cls, source: SourceFile) -> "PythonModule":
        """Parse a file in the encoding it declares."""
        try:
            encoding, _ = tokenize.detect_encoding(BytesIO(source.data).readline)
            tree = ast.parse(source.data)
        except ValueError as error:  # NUL bytes
            raise SyntaxError(str(error)) from error
        return cls(source, tree, encoding)

    @cached_property
    def _lines(self) -> list[tuple[int, str]]:
        """Offset and text of each line, without a byte order mark."""
        at = len(UTF8_BOM) if self.source.data.startswith(UTF8_BOM) else 0
        return [(match.start(), match[0]) for match in _LINE.finditer(self.source.text, at)]

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node above each node."""
        return {c: node for node in ast.walk(self.tree) for c in ast.iter_child_nodes(node)}

    @cached_property
    def _assigned(self) -> dict[str, list[tuple[ast.AST, ast.expr]]]:
        """What each plain name is assigned or extended by, with the function that does it."""
        found: dict[str, list[tuple[ast.AST, ast.expr]]] = {}
        for node in ast.walk(self.tree):
            for name, value in _assignments(node):
                found.setdefault(name, []).append((self.function(node), value))
        return found

    def function(self, node: ast.AST) -> ast.AST:
        """Return the function that a node is in, or the module."""
        return next((n for n in self.above(node) if isinstance(n, _SCOPES)), self.tree)

    def values(self, name: ast.Name) -> list[ast.expr]:
        """Return what a name is assigned or extended by: in its function, else anywhere."""
        everywhere = self._assigned.get(name.id, [])
        here = self.function(name)
        return [v for scope, v in everywhere if scope is here] or [v for _, v in everywhere]

    def offset(self, line: int, column: int) -> int:
        """Return the byte offset of a place as `ast` gives it: a column of UTF-8 bytes."""
        start, text = self._lines[line - 1]
        if self.encoding.startswith("utf-8"):
            return start + column
        utf8 = text.encode("latin-1").decode(self.encoding).encode()
        return start + len(utf8[:column].decode().encode(self.encoding))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Return the bytes of a node; parentheses around an expression are not part of it."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return Span(self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column))

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return the bytes of a node, one character each."""
        start, end = self.span(node)
        return self.source.text[start:end]

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def dotted(self, node: ast.AST) -> str:
        """Return a chain of names with the names that imports give it, "" for anything else.

        `cpp.CUDA_HOME` after `import torch.utils.cpp_extension as cpp` is the full name.
        """
        if isinstance(node, ast.Name):
            return self.imported.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return base and f"{base}.{node.attr}"
        return ""

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names of the functions that the file defines."""
        return frozenset(n.name for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef))

    @cached_property
    def imported(self) -> dict[str, str]:
        """The full name behind each name that an import binds."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found |= {a.asname: a.name for a in node.names if a.asname}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        return found


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield (name, value) of an assignment, or of a call that adds to a list."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((t.id, value) for t in targets if isinstance(t, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=[value, *_]):
            if attr in ("append", "extend"):
                yield name, value
        case _:
            pass
