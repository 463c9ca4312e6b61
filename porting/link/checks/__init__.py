"""The checks of the audit, one module per kind of fault."""

from typing import Final

from porting.link.checks import device, names, objects, paths, plans, versions
from porting.link.checks.process import check_process
from porting.link.subject import Check

# In the order in which findings about a file are told.
CHECKS: Final[tuple[Check, ...]] = (
    plans.check,
    names.check,
    versions.check,
    paths.check,
    device.check,
    objects.check,
)

__all__ = ["CHECKS", "check_process"]
