"""Preprocessor macros: compiler, architecture and version conditions, guards, joined names."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.macros.codes import CODES
from porting.rules.macros.compiler import check_compiler
from porting.rules.macros.dual import check_dual
from porting.rules.macros.guards import check_guards
from porting.rules.macros.pasting import check_pasting
from porting.rules.macros.selection import Selections
from porting.rules.unit import Unit

__all__ = ["CODES", "Selections", "check"]


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield findings about macros, but for the conditions that `Selections` decides."""
    yield from check_pasting(unit)
    yield from check_guards(unit)
    yield from check_compiler(unit)
    if unit.lexed.directives:
        yield from check_dual(unit)
