"""Integer handles of CUDA that are pointers in HIP."""

from porting.rules.handles.check import check
from porting.rules.handles.codes import CODES

__all__ = ["CODES", "check"]
