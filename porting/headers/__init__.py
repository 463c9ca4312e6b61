"""HIP under CUDA names: the compat header of a tree, forwarding headers, and their checks."""

from porting.headers.codes import CODES
from porting.headers.compat import compat_findings
from porting.headers.generate import FOLDER, HEADER, INCLUDE, Headers, make_headers, units_of

__all__ = [
    "CODES",
    "FOLDER",
    "HEADER",
    "INCLUDE",
    "Headers",
    "compat_findings",
    "make_headers",
    "units_of",
]
