"""Preprocessor macros: compiler, architecture and version conditions, guards, joined names."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.macros.architecture import arch_selections, check_architecture
from porting.rules.macros.codes import CODES
from porting.rules.macros.compiler import check_compiler
from porting.rules.macros.dual import check_dual
from porting.rules.macros.guards import check_guards
from porting.rules.macros.pasting import check_pasting
from porting.rules.macros.versions import check_versions, version_selections
from porting.rules.unit import Unit

__all__ = ["CODES", "check", "left_out"]


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield findings about macros and conditions."""
    yield from check_pasting(unit)
    if not unit.lexed.directives:
        return
    yield from check_guards(unit)
    yield from check_architecture(unit)
    yield from check_versions(unit)
    yield from check_compiler(unit)
    yield from check_dual(unit)


def left_out(unit: Unit) -> tuple[tuple[int, int], ...]:
    """Return the ranges of live code that no pass of a ROCm build compiles after the port.

    They are branches for architectures and versions of CUDA that were not chosen.
    """
    selections = [*arch_selections(unit), *version_selections(unit)]
    return tuple((arm.start, arm.end) for chosen in selections for arm in chosen.left_out)
