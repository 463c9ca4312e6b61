"""Check a ported tree with a real compiler: host syntax and a code object per architecture."""

from porting.verify.codes import CODES, COMPILE_ERROR
from porting.verify.commands import Flags
from porting.verify.findings import Origin
from porting.verify.pipeline import Progress, Verification, VerifyRequest, verify
from porting.verify.summary import STAGES

__all__ = [
    "CODES",
    "COMPILE_ERROR",
    "STAGES",
    "Flags",
    "Origin",
    "Progress",
    "Verification",
    "VerifyRequest",
    "verify",
]
