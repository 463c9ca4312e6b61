"""Code that compiles under HIP names and does not quite do the same."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.rules.semantics.capability import check_capability
from porting.rules.semantics.capture import check_capture
from porting.rules.semantics.codes import CODES
from porting.rules.semantics.errors import check_errors
from porting.rules.semantics.mentions import check_mentions
from porting.rules.semantics.streams import check_streams
from porting.rules.unit import Unit

__all__ = ["CODES", "check"]


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the silent differences of a file; nothing is rewritten."""
    yield from check_capture(unit)
    yield from check_errors(unit)
    yield from check_capability(unit)
    yield from check_streams(unit)
    yield from check_mentions(unit)
