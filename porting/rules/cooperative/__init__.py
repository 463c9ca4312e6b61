"""Cooperative groups: what HIP lacks, and what it has under another form."""

from porting.rules.cooperative.check import check
from porting.rules.cooperative.codes import CODES

__all__ = ["CODES", "check"]
