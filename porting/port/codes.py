"""Every code that a run can report."""

from porting import buildfiles, conversion, headers, hipify, inventory, suppress
from porting.diagnostics import Code
from porting.headers.rust import CODES as RUST_CODES
from porting.rules import CODES as RULE_CODES

# What porting itself reports, in the order of the pipeline.
CODES: tuple[Code, ...] = (
    *inventory.CODES,
    *conversion.CODES,
    *hipify.CODES,
    *suppress.CODES,
    *headers.CODES,
    *RUST_CODES,
    *buildfiles.CODES,
    *RULE_CODES,
)


def all_codes() -> tuple[Code, ...]:
    """Return CODES and those of stages and commands that are imported only when they are needed."""
    from porting import building, link, verify

    return (*CODES, *verify.CODES, *building.CODES, *link.CODES)
