"""The kinds of findings about integer handles that are pointers in HIP."""

from typing import Final

from porting.diagnostics import Code, Severity

CAST: Final = Code(
    "HND001",
    "handle-type",
    Severity.NOTE,
    "an integer handle that is a pointer in HIP gets a cast",
    "CUdeviceptr, texture and surface objects and generic allocation handles are integers in CUDA"
    " and pointers in HIP.  Sums, comparisons and conversions that are right for an integer do not"
    " compile for a pointer.  Where the type of the operand is certain, the tool adds the cast:"
    " to char* for sums in bytes, to an integer for masks and remainders, and back.",
)
OPEN: Final = Code(
    "HND002",
    "handle-type",
    Severity.ERROR,
    "an integer handle is used in a way that a pointer is not",
    "The expression treats a CUDA handle as an integer in a way that no single cast mends without"
    " knowing what the result is for.  In HIP the handle is a pointer, so it does not compile.  Do"
    " the arithmetic in uintptr_t and cast the result back, or use char*.",
)
PRINTED: Final = Code(
    "HND003",
    "handle-type",
    Severity.NOTE,
    "a handle is printed as an integer",
    "The handle is a pointer in HIP, and a format for an integer expects an integer.  The tool"
    " casts the argument.",
)
CODES: Final = (CAST, OPEN, PRINTED)
