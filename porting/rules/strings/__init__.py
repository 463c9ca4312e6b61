"""Text that is opened, looked up, asked for or compiled when the program runs."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.rules.strings.codes import CODES
from porting.rules.strings.device_code import check_device_code
from porting.rules.strings.entry_points import check_entry_points
from porting.rules.strings.environment import check_environment
from porting.rules.strings.libraries import check_libraries
from porting.rules.strings.symbols import check_stringized, check_symbols
from porting.rules.unit import Unit

__all__ = ["CODES", "check"]


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Yield findings about strings, and about the functions that look symbols up by string."""
    yield from check_entry_points(unit)
    yield from check_stringized(unit)
    if unit.strings:
        yield from check_libraries(unit)
        yield from check_symbols(unit)
        yield from check_environment(unit)
        yield from check_device_code(unit)
