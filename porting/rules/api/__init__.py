"""Calls whose parameter lists, structures or values differ between CUDA and HIP."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.api.addresses import check_addresses
from porting.rules.api.calls import check_calls, check_launch_config, check_mentions
from porting.rules.api.codes import CODES
from porting.rules.api.fields import check_fields
from porting.rules.api.locations import check_locations
from porting.rules.api.tags import check_tags
from porting.rules.unit import Unit

__all__ = ["CODES", "check"]


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield rewrites of calls that HIP takes differently, and errors for those it cannot take."""
    yield from check_locations(unit)
    yield from check_calls(unit)
    yield from check_mentions(unit)
    yield from check_addresses(unit)
    yield from check_launch_config(unit)
    yield from check_fields(unit)
    yield from check_tags(unit)
