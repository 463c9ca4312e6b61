"""Inline PTX: rewritten as C++ where it has an equivalent, else diagnosed."""

from porting.rules.ptx.check import check
from porting.rules.ptx.codes import CODES

__all__ = ["CODES", "check"]
