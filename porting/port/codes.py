"""Every code that a run can report."""

from porting import conversion, hipify, inventory, suppress
from porting.diagnostics import Code
from porting.rules import CODES as RULE_CODES

# What porting itself reports, in the order of the pipeline.
CODES: tuple[Code, ...] = (
    *inventory.CODES,
    *conversion.CODES,
    *hipify.CODES,
    *suppress.CODES,
    *RULE_CODES,
)


def all_codes() -> tuple[Code, ...]:
    """Return CODES and those of the verify stage, which is imported only when it is needed."""
    from porting import verify

    return (*CODES, *verify.CODES)
