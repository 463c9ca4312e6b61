"""The pipeline behind `porting port`, `scan` and `hipify`, for use as a library too."""

from porting.port.codes import CODES, all_codes
from porting.port.pipeline import PortRequest, PortResult, port, ported_as, verify_output
from porting.port.places import check_generated, check_places

__all__ = [
    "CODES",
    "PortRequest",
    "PortResult",
    "all_codes",
    "check_generated",
    "check_places",
    "port",
    "ported_as",
    "verify_output",
]
